import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** All folders with these numbers have the same names and the same words. */
export type FolderShape = { files: number; sectionsPerFile: number; wordsPerSection: number }

/** 32 MB in 10,000 files. */
export const tenThousandFiles: FolderShape = { files: 10_000, sectionsPerFile: 3, wordsPerSection: 152 }

const vocabulary = 60_000

/** Writes Markdown files of made-up words, as frequent as words of a language (Zipf), and returns their bytes. */
export async function writeFolder(folder: string, shape: FolderShape): Promise<number> {
  const random = randomNumbers(1)
  const words = Array.from({ length: vocabulary }, () => makeWord(random))
  const text = (count: number): string => Array.from({ length: count }, () => words[rank(random())]).join(' ')
  let bytes = 0
  for (let file = 0; file < shape.files; file++) {
    const sections = Array.from(
      { length: shape.sectionsPerFile },
      () => `## ${text(3)}\n\n${text(shape.wordsPerSection / 2)}.\n\n${text(shape.wordsPerSection / 2)}.\n`,
    )
    const content = `# ${text(3)}\n\n${sections.join('\n')}`
    bytes += content.length
    const inner = join(folder, String(file % 100))
    if (file < 100) await mkdir(inner, { recursive: true })
    await writeFile(join(inner, `${file}.md`), content)
  }
  return bytes
}

/** Writes a folder with one CSV of that many bytes: ids, names, numbers and short texts in 12 columns. */
export async function writeTable(folder: string, bytes: number): Promise<number> {
  const random = randomNumbers(1)
  const words = Array.from({ length: vocabulary }, () => makeWord(random))
  const text = (count: number): string => Array.from({ length: count }, () => words[rank(random())]).join(' ')
  const number = (most: number): number => Math.floor(random() * most)
  const lines = ['order,customer,name,city,country,product,sku,quantity,price,date,status,comment']
  let size = 0
  for (let row = 0; size < bytes; row++) {
    const ids = `ORD-${100_000 + row},${number(1e6)},${text(2)},${text(1)},${text(1)},${text(3)},SKU-${number(1e5)}`
    const line = `${ids},${number(50)},${(random() * 1000).toFixed(2)},2026-01-${1 + number(28)},paid,${text(10)}`
    lines.push(line)
    size += line.length + 1
  }
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'table.csv'), lines.join('\n'))
  return size
}

/** Questions of some words of the folder each, as frequent as they are there. */
export function questionsOf(count: number): string[] {
  const random = randomNumbers(1)
  const words = Array.from({ length: vocabulary }, () => makeWord(random))
  return Array.from({ length: count }, () => Array.from({ length: 6 }, () => words[rank(random())]).join(' '))
}

function rank(chance: number): number {
  return Math.floor(vocabulary ** chance) - 1
}

const syllables = 'ba be bi bo da de di do fa fo ga go ka ke ki ko la le li lo ma me mi mo na ne ni no ra re ri ro sa'
const sounds = syllables.split(' ')

function makeWord(random: () => number): string {
  return Array.from({ length: 2 + Math.floor(random() * 3) }, () => sounds[Math.floor(random() * sounds.length)]).join(
    '',
  )
}

/** Mulberry32: numbers from 0 to 1, the same ones for a seed. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
