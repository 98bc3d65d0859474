import { describe, expect, it } from 'vitest'
import { randomOf } from '../__fixtures__/random.ts'
import type { Parser } from '../data/piece.ts'
import { isUnreadableFile } from '../data/unreadable-file.ts'
import { type Read, readFileOf } from './__fixtures__/read-file-of.ts'
import { parseCsv } from './csv/parse-csv.ts'
import { parseMarkdown, parseMdx } from './markdown/parse-markdown.ts'
import { parseText } from './text/parse-text.ts'

const parsers = { parseText, parseMarkdown, parseMdx, parseCsv }

/** A generator with the same numbers for the same seed. */
const words = (
  'a word Größe 名前 😀 1,5 0 2024-01-02 \n \n \n\n \r\n \t , ; | " "" \' ` ``` ~~~ # ## > - * _ + = --- === +++ ... : :: ::: . ! ? ' +
  '[ ] ( ) ]( ![ { } {/* */} /* */ <!-- --> < > </ /> <b> </b> <br> <p <Tab </Tab> <Tab/> <h1> </h1> <pre> </pre> <script> title=" alt=\' ' +
  '\\ \\_ & &amp; &#0; &#xd800; &#65; import export import\u00a0x\u00a0from\u00a0"y" export\u00a0const\u00a0a={ default $ ${ |---| | a sep=; \ufeff \u2028 \f \v'
).split(' ')

function randomText(random: (below: number) => number): string {
  const count = random(120)
  const separators = ['', '', ' ', '\n']
  let text = random(4) === 0 ? (['---\n', '+++\n', 'sep=;\n', '\ufeff'][random(4)] ?? '') : ''
  for (let index = 0; index < count; index++)
    text += (words[random(words.length)] ?? '') + (separators[random(4)] ?? '')
  return text.replaceAll('\u00a0', ' ')
}

function randomBytes(random: (below: number) => number): Uint8Array {
  const text = randomText(random)
  switch (random(5)) {
    case 0:
      return Buffer.from(text, 'utf16le')
    case 1:
      return Buffer.from(text, 'latin1')
    case 2:
      return Uint8Array.from({ length: random(200) }, () => random(256))
    case 3: {
      const bytes = Buffer.from(text)
      for (let count = random(5); count > 0 && bytes.length > 0; count--) bytes[random(bytes.length)] = random(256)
      return bytes
    }
    default:
      return Buffer.from(text)
  }
}

async function tryRead(parser: Parser, bytes: Uint8Array): Promise<Read | undefined> {
  try {
    return await readFileOf(parser, bytes)
  } catch (error) {
    if (isUnreadableFile(error)) return undefined
    throw error
  }
}

/** The fault in the result; `undefined` is expected. */
function problemOf({ pieces, text }: Read): string | undefined {
  if (!text.isWellFormed()) return 'A surrogate is alone.'
  if (/(?![\n\t])\p{Cc}/u.test(text)) return 'There is a control character.'
  if (text.trim() === '') return 'It says nothing.'
  for (const piece of pieces) {
    let end = 0
    for (const block of piece.blocks) {
      if (block.start < end || block.end > piece.text.length) return 'Blocks are out of order.'
      if (piece.text.slice(end, block.start).trim() !== '') return 'There is text between blocks.'
      if (piece.text.slice(block.start, block.end).trim() === '') return 'A block says nothing.'
      end = block.end
    }
    if (piece.text.slice(end).trim() !== '') return 'There is text behind the blocks.'
  }
  return undefined
}

describe.each(Object.entries(parsers))('%s', (_, parser) => {
  it('reads any input into blocks that hold all of the text, deterministically', async () => {
    for (let seed = 1; seed <= 300; seed++) {
      const bytes = randomBytes(randomOf(seed))
      const read = await tryRead(parser, bytes).catch((error: unknown) => {
        throw new Error(`seed ${seed} fails`, { cause: error })
      })
      if (read === undefined) continue
      const problem = problemOf(read)
      if (problem !== undefined) expect.fail(`seed ${seed}: ${problem}`)
      if (seed % 10 === 0) expect(await tryRead(parser, bytes)).toEqual(read)
    }
  })
})

describe('text that is built to take long', () => {
  // Without its guard, each of these exceeds the test's timeout.
  const size = 600_000

  it.each([
    '<!-- a\n',
    '<h1>\n',
    '<A {',
    '<a b="',
    '<Tab title="x">',
    '{/* a\n',
    'export const a = {\n\n',
    'export default `\n\n',
    '](',
    '![a](',
    '`',
    '[',
    '> ',
    '- ',
    ' ',
    '\n',
    '&',
  ])('is read soon as Markdown: %j', async (unit) => {
    const bytes = Buffer.from(unit.repeat(size / unit.length))
    await tryRead(parseMarkdown, bytes)
    await tryRead(parseMdx, bytes)
  })

  it.each(['",', '" ', '"a"b,', '"a,b\n', '"a"b,c\n', 'a,', '\n', ' '])(
    'is read in linear time as CSV: %j',
    async (unit) => {
      await tryRead(parseCsv, Buffer.from(unit.repeat(size / 3 / unit.length)))
      await tryRead(parseCsv, Buffer.from(`a,b\n${unit.repeat(size / 3 / unit.length)}`))
    },
  )

  it('is read in linear time: runs of backticks of every length', async () => {
    const runs = Array.from({ length: 1000 }, (_, length) => `${'`'.repeat(length)}a`).join('')
    await tryRead(parseMarkdown, Buffer.from(runs))
  })
})
