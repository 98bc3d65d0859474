import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { hostileFiles } from '../../__fixtures__/hostile-files.ts'
import { makePdf } from '../../__fixtures__/make-pdf.ts'
import type { Parser } from '../../data/piece.ts'
import { isUnreadableFile } from '../../data/unreadable-file.ts'
import { documentStyles, headingStyles } from '../docx/document-styles.ts'
import { writeLabels } from '../docx/list-labels.ts'
import { plainParagraphs } from '../docx/plain-paragraphs.ts'
import { repairBody } from '../docx/repair-body.ts'
import { withUsualPrefixes } from '../docx/usual-prefixes.ts'
import { readFrontMatter } from '../markdown/front-matter.ts'
import { parseMdx } from '../markdown/parse-markdown.ts'
import { formValues } from '../pdf/form-values.ts'
import type { PdfDocument } from '../pdf/open-pdf.ts'
import { BlockWriter } from '../pieces/block-writer.ts'
import { createParsePool, type ParsePool } from './parse-pool.ts'

/** However little CPU a busy machine grants, the limit of CPU time or memory ends the file. */
const busyMachine = 1_000

let folder: string
let pool: ParsePool

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-hostile-'))
  // Lower limits than the defaults, so that the test is faster.
  pool = createParsePool({ memoryMb: 300, cpuSeconds: 1.5, wallPerCpu: busyMachine, processes: 1 })
})
afterAll(async () => {
  await pool.close()
  await rm(folder, { recursive: true })
})

const limits = /^Reading it takes more than (300 MB of memory|1\.5 seconds of CPU time)\.$/

it.each([
  ['nested-filters.pdf', limits],
  ['nested-states.pdf', limits],
  ['forms.pdf', limits],
  ['long-text.pdf', limits],
  ['equations.docx', /^It is too large to unpack: its part "word\/document\.xml" would grow \d+ times\.$/],
])('gives up on %s, and reads the next file', async (file, reason) => {
  const before = process.memoryUsage.rss()
  const content = hostileFiles[file]?.() ?? Buffer.alloc(0)
  const [hostile, good] = await Promise.all([read(file, content), read('good.pdf', makePdf([{ lines: ['Good'] }]))])

  expect(hostile).toMatchObject({ outcome: 'unreadable', status: 'too-large', reason: expect.stringMatching(reason) })
  expect(good).toMatchObject({ outcome: 'read' })
  // The memory is not that of this process.
  expect(process.memoryUsage.rss() - before).toBeLessThan(200_000_000)
})

const tags = ['<m:oMath>', '<m:oMathPara ', '<w:rt>', '<w:fldData>', '<w:br ', '<w:drawing ', '<mc:Fallback>', '<w:t ']
const ofRuns = ['<w:r><w:rPr>', '<w:r ', '<w:p><w:pPr><w:pStyle ', '<w:p>', '<w:vanish ', '<w:r><w:t>', '</w:p>']
const nested = '<mc:AlternateContent><mc:Choice><w:txbxContent>'

const ofLists = ['<w:pPr>', '<w:pPr><w:numId ', '<w:abstractNum ', '<w:abstractNum><w:lvl>', '<w:num>']
const repaired = (xml: string): string => repairBody(xml, documentStyles(xml))
const labels = (xml: string): string =>
  writeLabels(xml, new Map([['word/numbering.xml', Buffer.from(xml)]]), documentStyles(xml))
const renamed = (xml: string): string =>
  withUsualPrefixes(`<d xmlns:n="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${xml}`)

it.each([...tags, ...ofRuns, '<w:style ', '<w:style>', '<w:outlineLvl ', nested, ...ofLists, '<n:p '])(
  'scans 1 MB of %s in linear time',
  (tag) => {
    const xml = `w:txbxContent<w:style>${tag.repeat(1_000_000 / tag.length)}`
    const closed = `${xml}${'</w:txbxContent></mc:Choice></mc:AlternateContent>'.repeat(20_000)}</w:style>`
    const before = process.cpuUsage()
    for (const text of [xml, closed])
      for (const scan of [repaired, plainParagraphs, headingStyles, labels, renamed]) scan(text)

    const { user, system } = process.cpuUsage(before)
    // A tenth of that is typical; searching each end would take minutes.
    expect((user + system) / 1e6).toBeLessThan(5)
  },
)

it('keeps little of the text before a number that a list repeats', () => {
  const level = `<w:lvl w:ilvl="0"><w:lvlText w:val="${'x'.repeat(200_000)}%1"/></w:lvl>`
  const kind = `<w:abstractNum w:abstractNumId="0">${level}</w:abstractNum>`
  const parts = new Map([
    ['word/numbering.xml', Buffer.from(`${kind}<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`)],
  ])
  const before = process.memoryUsage().heapUsed
  const written = writeLabels('<w:p><w:pPr><w:numId w:val="1"/></w:pPr></w:p>'.repeat(1_000), parts, documentStyles(''))
  expect(written.length).toBeLessThan(200_000)
  // Each label would be a part of a text of its own of 200,000 characters.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000)
})

const metadata = 'export const metadata = {'

it.each([
  ['comments that never end', metadata, '{/*'],
  ['comments in a row that never end', '', 'export {} /*\n'],
  ['escaped quotes', metadata, '\\`'],
  ['escaped quotes on a line', metadata, "\\'"],
  ['half of a line comment', metadata, '//'],
  ['lines below half of spaces', ' '.repeat(500_000), '===\n'],
  ['attributes of one long word', '', `<Foo bar="${'A'.repeat(19_000)} . . .">\n\n`],
])('reads MDX of 1 MB with %s in linear time', async (_, start, part) => {
  const bytes = Buffer.from(start + part.repeat((1_000_000 - start.length) / part.length))
  const before = process.cpuUsage()
  await drain(parseMdx(bytes, AbortSignal.timeout(60_000)))

  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1e6).toBeLessThan(5)
})

it.each([
  ['a value of empty lines', `---\ntitle:${'\n'.repeat(90_000)}# note\n---\n`],
  ['a first line of spaces', `---\na${' '.repeat(90_000)}!\n---\n`],
  ['half of a comment in each word', `---\ntitle: a${' #'.repeat(45_000)}\n b\n---\n`],
])('reads front matter with %s in linear time', (_, source) => {
  const before = process.cpuUsage()
  readFrontMatter(source)

  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2)
})

it.each([
  ['a paragraph of a document', () => new BlockWriter().add('text', `a${' '.repeat(500_000)}b`)],
  ['the label of a field', () => formValues(formWithLabel(`a${' '.repeat(500_000)}b`))],
])('cleans up %s with a long run of spaces in linear time', async (_, cleanUp) => {
  const before = process.cpuUsage()
  await cleanUp()

  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2)
})

function formWithLabel(alternativeText: string): PdfDocument {
  const field = { pageIndex: 0, subtype: 'Widget', fieldType: 'Tx', fieldValue: 'yes', alternativeText }
  // The one method that is called.
  return { getAnnotationsByType: async () => [field] } as unknown as PdfDocument
}

/** All text of a file, which may be empty. */
async function drain(pieces: ReturnType<Parser>): Promise<void> {
  try {
    for await (const _ of pieces);
  } catch (error) {
    if (!isUnreadableFile(error)) throw error
  }
}

async function read(file: string, content: Uint8Array): ReturnType<ParsePool['read']> {
  const path = join(folder, file)
  await writeFile(path, content)
  return pool.read({ file, path }, { maxBytes: 200_000_000, signal: AbortSignal.timeout(60_000) })
}
