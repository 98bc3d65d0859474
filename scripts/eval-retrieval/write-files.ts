import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Document } from './collection.ts'
import { randomNumbers } from './random-numbers.ts'

/** Writes each document to a separate file. @returns the documents by their files */
export function writeFiles(documents: readonly Document[], folder: string): Map<string, Document> {
  mkdirSync(folder, { recursive: true })
  return new Map(
    documents.map((document, index) => {
      // Names without meaning, so that only the content is searched.
      const file = `${String(index).padStart(6, '0')}.md`
      writeFileSync(join(folder, file), `# ${oneLine(document.title)}\n\n${textOf(document)}\n`.replace(/^# \n\n/, ''))
      return [file, document]
    }),
  )
}

/** The documents of one file. */
const perFile = 10

/** Writes documents as sections of long files, in a random but fixed order. @returns the documents in that order */
export function writeLongFiles(documents: readonly Document[], folder: string): Map<string, Document[]> {
  mkdirSync(folder, { recursive: true })
  const shuffled = shuffle(documents.filter(({ text }) => text.trim() !== ''))
  const files = new Map<string, Document[]>()
  for (let from = 0; from < shuffled.length; from += perFile) {
    const sections = shuffled.slice(from, from + perFile)
    const file = `${String(files.size).padStart(5, '0')}.md`
    const texts = sections.map((document) => `## ${oneLine(document.title) || 'Section'}\n\n${textOf(document)}\n`)
    writeFileSync(join(folder, file), texts.join('\n'))
    files.set(file, sections)
  }
  return files
}

/** Some collections repeat the title in the text; real files do not. */
export function textOf({ title, text }: Document): string {
  const [one, other] = [oneLine(title), oneLine(text)]
  if (one === '' || !other.startsWith(one)) return text
  const words = one.split(' ').length
  return text.trimStart().replace(new RegExp(`^(?:\\S+\\s*){${words}}`), '')
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function shuffle<Item>(items: readonly Item[]): Item[] {
  const random = randomNumbers(42)
  return items
    .map((item) => ({ item, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item)
}
