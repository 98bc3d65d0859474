import { expect, it } from 'vitest'
import { type Random, randomOf } from '../__fixtures__/random.ts'
import type { Chunk } from '../data/chunk.ts'
import { chunkId, textHash } from '../data/chunk-id.ts'
import type { Block, Piece } from '../data/piece.ts'
import { createChunker } from './create-chunker.ts'

it('never mixes texts below two headings', () => {
  const chunks = chunksOf([
    heading('# Pay'),
    text('Monthly.'),
    heading('# Leave'),
    text('30 days.'),
    text('Ask first.'),
  ])

  expect(chunks.map(({ heading, quote }) => ({ heading, quote }))).toEqual([
    { heading: 'Pay', quote: '# Pay\n\nMonthly.' },
    { heading: 'Leave', quote: '# Leave\n\n30 days.\n\nAsk first.' },
  ])
})

it('names the headings above a passage, and drops those of other sections', () => {
  const blocks = [
    heading('# A'),
    text('a'),
    heading('### C', 3),
    text('c'),
    heading('## B', 2),
    text('b'),
    heading('# D'),
    text('d'),
  ]

  expect(chunksOf(blocks).map((chunk) => chunk.heading)).toEqual(['A', 'A > C', 'A > B', 'D'])
})

it.each([
  ['## The **bold** `code` ##', 'The bold code'],
  ['Setext\n======', 'Setext'],
  ['# See [the docs](https://example.com/a_b) ![logo](x.png)', 'See the docs logo'],
  ['#hashtag', '#hashtag'],
  ['C#', 'C#'],
  ['Two\n  lines', 'Two lines'],
])('reads the heading %j as %j', (written, said) => {
  expect(chunksOf([heading(written), text('a')])[0]?.heading).toBe(said)
})

it('keeps headings with nothing below findable', () => {
  const chunks = chunksOf([
    heading('# A'),
    heading('## A1', 2),
    text('a'),
    heading('## A2', 2),
    heading('# B'),
    heading('# C'),
  ])

  expect(chunks.map(({ heading, quote }) => [heading, quote])).toEqual([
    ['A > A1', '# A\n\n## A1\n\na'],
    ['A > A2', '## A2'],
    ['B', '# B'],
    ['C', '# C'],
  ])
})

it('cuts a long section at a paragraph rather than at a sentence', () => {
  const paragraph = 'It was said. '.repeat(5).trim()
  const chunks = chunksOf([text(paragraph), text(paragraph), text(paragraph)], 100)

  expect(chunks.map((chunk) => chunk.quote)).toEqual([paragraph, paragraph, paragraph])
})

it.each([
  [
    'paragraphs',
    'text',
    `${'One is it. '.repeat(5)}\n\nTwo are they. And so on it goes for long`,
    `${'One is it. '.repeat(5).trim()}`,
  ],
  [
    'sentences',
    'text',
    'The first, by Mr. Smith et al. (e.g. this one) is here. The second goes on for quite a long while',
    'The first, by Mr. Smith et al. (e.g. this one) is here.',
  ],
  [
    'Chinese sentences',
    'text',
    `${'我们今天去学校学习中文。'.repeat(4)}${'然后回家吃晚饭看电视睡觉'.repeat(6)}`,
    '我们今天去学校学习中文。'.repeat(4),
  ],
  ['lines', 'code', `${'const a = 1. b\n'.repeat(5)}${'more '.repeat(12)}`, 'const a = 1. b\n'.repeat(5).trim()],
  ['rows', 'table', `${'| a. | b |\n'.repeat(6)}| long ${'cell '.repeat(20)}|`, '| a. | b |\n'.repeat(6).trim()],
  ['words', 'text', 'word '.repeat(40).trim(), 'word '.repeat(16).trim()],
] as const)('cuts a long block between %s', (_, kind, long, first) => {
  expect(chunksOf([{ kind, text: long }], 80)[0]?.quote).toBe(first)
})

it.each([
  ['surrogate pairs', '𝒳', 2],
  ['families', '👨‍👩‍👧‍👦', 11],
  ['flags', '🇩🇪', 4],
  ['accents that are signs of their own', 'e\u0301', 2],
])('never cuts within %s', (_, character, size) => {
  for (const indent of [0, 1, 2, 3]) {
    const chunks = chunksOf([text('x'.repeat(indent) + character.repeat(100))], 51)
    const lengths = chunks.map((chunk) => chunk.quote.replaceAll('x', '').length)

    expect(lengths.map((length) => length % size)).toEqual(lengths.map(() => 0))
  }
})

it('cuts Thai between words', () => {
  const chunks = chunksOf([text('ภาษาไทย'.repeat(30))], 50)

  expect(chunks.every((chunk) => /^(ภาษา|ไทย).*(ภาษา|ไทย)$/.test(chunk.quote))).toBe(true)
})

it('keeps rows whole, and names their numbers', () => {
  const chunks = chunksOf(rowsOf(100))

  expect(chunks.flatMap((chunk) => chunk.quote.split('\n\n'))).toEqual(rowsOf(100).map((row) => row.text))
  for (const [index, { row = 0, rowEnd = row, quote }] of chunks.entries()) {
    expect(row).toBe(index === 0 ? 2 : (chunks[index - 1]?.rowEnd ?? 0) + 1)
    expect(quote.split('\n\n')).toHaveLength(rowEnd - row + 1)
    expect(rowEnd - row).toBeLessThan(20)
  }
})

it('leaves nearly all passages of a table as they were when a row is put in', () => {
  const before = new Set(chunksOf(rowsOf(1_000)).map((chunk) => chunk.id))
  const after = chunksOf([{ kind: 'row', text: 'n: new', row: 2 }, ...rowsOf(1_000)])

  expect(after.filter((chunk) => !before.has(chunk.id)).length).toBeLessThan(10)
})

it('cuts a row that is too long at its cells, and leaves its neighbours alone', () => {
  const cells = Array.from({ length: 8 }, (_, index) => `column ${index}: some words.`)
  const chunks = chunksOf(
    [
      { kind: 'row', text: 'a: 1', row: 2 },
      { kind: 'row', text: cells.join('\n'), row: 3 },
      { kind: 'row', text: 'a: 2', row: 4 },
    ],
    100,
  )

  expect(chunks.map(({ row, rowEnd, quote }) => ({ row, rowEnd, quote }))).toEqual([
    { row: 2, quote: 'a: 1' },
    { row: 3, quote: cells.slice(0, 4).join('\n') },
    { row: 3, quote: cells.slice(4).join('\n') },
    { row: 4, quote: 'a: 2' },
  ])
})

it('ends a passage with its page, unless a sentence runs on', () => {
  const chunker = createChunker('a.pdf')
  const chunks = [
    ...chunker.add(pieceOf([text('First page.')], 1)),
    ...chunker.add(pieceOf([text('Second page, which goes')], 2)),
    ...chunker.add(pieceOf([text('on at the third.')], 3)),
    ...chunker.end(),
  ]

  expect(chunks.map(({ page, pageEnd, quote }) => ({ page, pageEnd, quote }))).toEqual([
    { page: 1, quote: 'First page.' },
    { page: 2, pageEnd: 3, quote: 'Second page, which goes\n\non at the third.' },
  ])
})

it('hands a passage over as soon as nothing can change it', () => {
  const chunker = createChunker('a.md')

  expect(chunker.add(pieceOf([text('a'), heading('# B')]))).toHaveLength(1)
  expect(chunker.add(pieceOf([text('word '.repeat(2_000))])).length).toBeGreaterThan(5)
  expect(chunker.end()).toHaveLength(1)
})

it('gives the same words in one file ids of their own, and one key for their vector', () => {
  const [first, second, third] = chunksOf([
    heading('# A'),
    text('b'),
    heading('# A'),
    text('b'),
    heading('# C'),
    text('b'),
  ])

  expect(first?.id).toBe(chunkId('a.md', '# A\n\nb', 0))
  expect(second?.id).toBe(chunkId('a.md', '# A\n\nb', 1))
  expect(second?.textHash).toBe(first?.textHash)
  expect(third?.textHash).toBe(textHash('C\n# C\n\nb'))
})

it.each([
  ['a long word', [text('a'.repeat(300_000))], 250],
  ['one character of 300,000 signs', [text(`a${'\u0301'.repeat(300_000)}`)], 250],
  ['a gap', [text(`a${' '.repeat(300_000)}b`)], 2],
  ['a heading of 300,000 characters', [heading(`# ${'a'.repeat(300_000)}`), text('b')], 250],
  [
    '5,000 headings, each below the one before',
    Array.from({ length: 5_000 }, (_, index) => heading('#', index + 1)),
    10,
  ],
] as const)('is not troubled by %s', (_, blocks, atLeast) => {
  const chunks = chunksOf(blocks)

  expect(chunks.length).toBeGreaterThanOrEqual(atLeast)
  expect(Math.max(...chunks.map((chunk) => chunk.quote.length))).toBeLessThan(1_400)
  expect(Math.max(...chunks.map((chunk) => chunk.heading?.length ?? 0))).toBeLessThan(500)
})

it('quotes exactly, in order, and leaves nothing out, for any content', () => {
  for (let seed = 1; seed <= 100; seed++) {
    const random = randomOf(seed * 2_654_435_761)
    const pieces = randomPieces(random)
    const longest = [20, 100, 1_000][seed % 3]
    const chunker = createChunker('a', longest)
    const chunks = [...pieces.flatMap((piece) => chunker.add(piece)), ...chunker.end()]
    const whole = pieces.map((piece) => piece.text).join('')
    const covered = new Uint8Array(whole.length)
    let last = 0
    for (const [index, chunk] of chunks.entries()) {
      expect(chunk.quote, `seed ${seed}`).toBe(whole.slice(chunk.start, chunk.end))
      expect(chunk.quote.trim()).toBe(chunk.quote)
      expect(chunk.quote).not.toBe('')
      expect(chunk.quote.length).toBeLessThanOrEqual((longest ?? 0) * 1.15)
      expect(chunk.start).toBeGreaterThanOrEqual(last)
      expect(chunk.order).toBe(index)
      last = chunk.end
      covered.fill(1, chunk.start, chunk.end)
    }
    let offset = 0
    for (const piece of pieces) {
      for (const block of piece.blocks) {
        for (let at = offset + block.start; at < offset + block.end; at++) {
          if (covered[at] === 0 && /\S/.test(whole.charAt(at))) expect.fail(`seed ${seed}: ${at} is in no passage`)
        }
      }
      offset += piece.text.length
    }
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(chunks.length)
  }
})

it.each([
  ['headings alone', [heading('# a')]],
  ['headings with one word', [heading('# a'), text('b')]],
])('makes few passages of millions of short sections, and keeps their text: %s', (_, section) => {
  const parts = Array.from({ length: 2_000 }, () => section).flat()
  const piece = pieceOf(parts)
  const chunker = createChunker('a.md')
  let [passages, characters] = [0, 0]
  const count = (chunks: readonly Chunk[]): void => {
    passages += chunks.length
    for (const { quote } of chunks) characters += quote.replace(/\s/g, '').length
  }
  for (let pieces = 0; pieces < 100; pieces++) count(chunker.add(piece))
  count(chunker.end())
  expect(passages).toBeGreaterThan(100_000)
  expect(passages).toBeLessThan(102_000)
  expect(characters).toBe(100 * piece.text.replace(/\s/g, '').length)
})

type Part = Omit<Block, 'start' | 'end'> & { text: string }

function heading(text: string, level = 1): Part {
  return { kind: 'heading', text, level }
}

function text(words: string): Part {
  return { kind: 'text', text: words }
}

function rowsOf(count: number): Part[] {
  return Array.from({ length: count }, (_, index) => ({ kind: 'row', text: `n: ${index}`, row: index + 2 }))
}

function chunksOf(parts: readonly Part[], longest?: number): Chunk[] {
  const chunker = createChunker('a.md', longest)
  return [...chunker.add(pieceOf(parts)), ...chunker.end()]
}

function pieceOf(parts: readonly Part[], page?: number, gap: () => string = () => '\n\n'): Piece {
  let whole = ''
  const blocks = parts.map(({ text, ...rest }): Block => {
    const start = whole.length
    whole += text
    const end = whole.length
    whole += gap()
    return { ...rest, start, end }
  })
  return { text: whole, blocks, ...(page !== undefined && { page }) }
}

const words = [
  'a',
  'Word',
  'e.g.',
  'end.',
  '中文。',
  '，',
  '👨‍👩‍👧‍👦',
  'e\u0301',
  '|',
  '\u00a0',
  '\ufeff',
  'longer-word',
  'ไทย',
  '𝒳',
  '"Quote."',
  '\u0301',
  '\ud83d',
]
const spaces = ['', ' ', ' ', ' ', '\n', '\n\n', '\t', '\r\n', '   ', '\u3000', '\n \n']
const kinds = ['heading', 'text', 'text', 'text', 'code', 'table', 'row'] as const

function randomPieces(random: Random): Piece[] {
  const hasPages = random(2) === 0
  return Array.from({ length: 1 + random(4) }, (_, index) => {
    const parts = Array.from({ length: random(6) }, (_, row): Part => {
      const kind = kinds[random(kinds.length)] ?? 'text'
      const said = Array.from(
        { length: random(random(4) === 0 ? 300 : 20) },
        () => pick(words, random) + pick(spaces, random),
      )
      return {
        kind,
        text: said.join(''),
        ...(kind === 'heading' && { level: 1 + random(9) }),
        ...(kind === 'row' && { row }),
      }
    })
    return pieceOf(parts, hasPages ? index + 1 : undefined, () => pick(['', '\n\n', '<!-- markup -->'], random))
  })
}

function pick(from: readonly string[], random: Random): string {
  return from[random(from.length)] ?? ''
}
