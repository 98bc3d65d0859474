import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeDocx, paragraph, table } from './__fixtures__/make-docx.ts'
import { makePdf } from './__fixtures__/make-pdf.ts'
import { randomOf } from './__fixtures__/random.ts'
import { type TemporaryFolder, temporaryFolder } from './__fixtures__/temporary-folder.ts'
import type { Chunk } from './data/chunk.ts'
import { extractFile } from './extract-file.ts'
import { createParsePool, type ParsePool } from './parse/pool/parse-pool.ts'

let folder: TemporaryFolder
let pool: ParsePool

beforeAll(async () => {
  folder = await temporaryFolder()
  pool = createParsePool()
})
afterAll(async () => {
  await pool.close()
  await folder.remove()
})

it('returns the text of a file and its blocks', async () => {
  const { text, blocks, title, status } = await extractFile(await write('a.md', '# Pay\n\nMonthly.\n'))

  expect({ title, status }).toEqual({ title: 'Pay', status: 'ok' })
  expect(blocks.map(({ kind, start, end }) => [kind, text.slice(start, end)])).toEqual([
    ['heading', '# Pay'],
    ['text', 'Monthly.'],
  ])
})

it('returns the offsets of the pages of a PDF, including empty ones', async () => {
  const file = makePdf([{ lines: ['First words.'] }, {}, { lines: ['Last words.'] }, {}])
  const { text, blocks, pages = [] } = await extractFile(await write('a.pdf', file))

  expect(pages.map(({ start, end }) => text.slice(start, end).trim())).toEqual(['First words.', '', 'Last words.', ''])
  expect(blocks.map(({ page, start, end }) => [page, text.slice(start, end)])).toEqual([
    [1, 'First words.'],
    [3, 'Last words.'],
  ])
})

it.each(['txt', 'md', 'csv'])('reports that a .%s is garbled, and returns its text', async (ext) => {
  const { status, reason, text } = await extractFile(await write(`garbled.${ext}`, 'cafÃ©,trÃ¨s\ndÃ©jÃ ,Ã©tÃ©\n'))
  expect({ status, reason }).toEqual({ status: 'low-quality', reason: expect.stringContaining('mistaken') })
  expect(text).toContain('cafÃ©')
})

it('reports why there is no text', async () => {
  const scanned = await write('scan.pdf', makePdf([{ image: true }]))

  await expect(extractFile(scanned)).rejects.toMatchObject({ code: 'unreadable-file', status: 'no-text' })
  await expect(extractFile(scanned, { maxFileBytes: 10 })).rejects.toMatchObject({
    code: 'unreadable-file',
    status: 'too-large',
    message: expect.stringContaining('scan.pdf'),
  })
})

it('reports a missing file', async () => {
  await expect(extractFile(join(folder.path, 'none.md'))).rejects.toMatchObject({ code: 'not-found' })
})

it.each<[unknown, unknown, string]>([
  [undefined, {}, 'name a file'],
  ['', {}, 'name a file'],
  ['a.md', { maxFileBytes: 'x' }, '`maxFileBytes` is a whole number of bytes'],
  ['a.md', { maxBytes: 3 }, 'no option "maxBytes"'],
])('refuses arguments that JavaScript may pass: %j, %j', async (path, options, message) => {
  const extracting = extractFile(path as string, options as object)
  await expect(extracting).rejects.toMatchObject({
    code: 'invalid-argument',
    message: expect.stringContaining(message),
  })
})

it('stops when it is aborted', async () => {
  const path = await write('b.md', 'words')

  await expect(extractFile(path, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' })
})

it.each(['txt', 'md', 'mdx', 'csv', 'docx', 'pdf'] as const)('finds every quote of a .%s in its text', async (kind) => {
  let quotes = 0
  for (let seed = 1; seed <= 6; seed++) {
    const file = `${seed}.${kind}`
    const path = await write(file, makers[kind](randomWords(seed)))
    const options = { maxBytes: 10_000_000, signal: AbortSignal.timeout(60_000) }
    const [read, extracted] = await Promise.all([pool.read({ file, path }, options), pool.extract(path, options)])
    if (read.outcome !== 'read') throw new Error(`${file}: ${JSON.stringify(read)}`)

    const chunks = read.chunks as Chunk[] // without `spools` all passages are in memory
    const { text, blocks } = extracted
    const covered = new Uint8Array(text.length)
    for (const { start, end, quote } of chunks) {
      expect(text.slice(start, end), file).toBe(quote)
      covered.fill(1, start, end)
    }
    const lost = blocks.flatMap(({ start, end }) =>
      text
        .slice(start, end)
        .split('')
        .filter((_, at) => covered[start + at] !== 1),
    )
    expect(lost.join('').trim(), file).toBe('')
    expect(read.characters).toBe(text.length)
    quotes += read.chunks.length
  }
  expect(quotes).toBeGreaterThan(15)
})

type Words = { sentence(): string; count: number }

type Kind = 'txt' | 'md' | 'mdx' | 'csv' | 'docx' | 'pdf'

const makers: Record<Kind, (words: Words) => string | Uint8Array> = {
  txt: (words) => listOf(words, ({ sentence }) => sentence()).join('\n\n'),
  md: markdown,
  mdx: (words) =>
    `export const meta = { title: 'x' }\n\n<Note title="${words.sentence()}">\n\n${markdown(words)}\n\n</Note>\n`,
  csv: (words) => `name;said\n${listOf(words, ({ sentence }) => `"${sentence()}";${words.count}`).join('\n')}`,
  docx: (words) =>
    makeDocx(
      listOf(words, ({ sentence }, index) => {
        if (index % 7 === 0) return paragraph(sentence(), 'Heading1')
        return index % 5 === 0 ? table([sentence(), sentence()], ['a', sentence()]) : paragraph(sentence())
      }).join(''),
    ),
  pdf: (words) =>
    makePdf(
      Array.from({ length: 1 + (words.count % 4) }, () => ({
        lines: listOf(words, () => words.sentence().slice(0, 80)),
      })),
    ),
}

function markdown(words: Words): string {
  return listOf(words, ({ sentence }, index) => {
    const forms = [
      `${'#'.repeat(1 + (index % 3))} ${sentence()}`,
      `- ${sentence()}`,
      `| a | b |\n|---|---|\n| ${sentence()} | c |`,
    ]
    return (
      forms[index % 7] ??
      (index % 4 === 0 ? `\`\`\`\n${sentence()}\n\`\`\`` : `${sentence()} <!-- b -->\n${sentence()}`)
    )
  }).join('\n\n')
}

function listOf(words: Words, make: (words: Words, index: number) => string): string[] {
  return Array.from({ length: words.count }, (_, index) => make(words, index))
}

const vocabulary = [
  'rain',
  'Prague',
  'it is',
  '3.5',
  'e.g. this',
  'naïve',
  '北京大学',
  '😀',
  '*so*',
  '`code`',
  'a_b',
  'end. Then',
  'why?',
]

function randomWords(seed: number): Words {
  const random = randomOf(seed * 2_654_435_761)
  return {
    count: 5 + random(20),
    sentence: () =>
      `${Array.from({ length: 1 + random(random(5) === 0 ? 300 : 20) }, () => vocabulary[random(vocabulary.length)]).join(' ')}.`,
  }
}

async function write(file: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder.path, file)
  await writeFile(path, content)
  return path
}

it.each([
  ['a.png', '\x89PNG\r\n\x1a\n'],
  ['a.rst', 'Title\n====='],
  ['LICENSE', 'Do what you like.'],
])('reports that %s cannot be read', async (name, content) => {
  await expect(extractFile(await write(name, Buffer.from(content, 'latin1')))).rejects.toMatchObject({
    code: 'unreadable-file',
    status: 'unsupported',
  })
})
