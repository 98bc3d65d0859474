import { describe, expect, it } from 'vitest'
import { timeSlices } from '../util/time-slices.ts'
import { type LiveSegment, liveSegment } from './live-segment.ts'
import { mergeSegments } from './merge-segments.ts'
import { queryWords } from './query-words.ts'
import { rank } from './rank.ts'
import { decodeSegment, encodeSegment, type Segment, termAt } from './segment.ts'
import { segmentBuilder } from './segment-builder.ts'

type Document = { doc: number; file: number; text: string }

const vocabulary = [
  'bee',
  'honey',
  'wax',
  'hive',
  'zeppelin',
  'wasp',
  'größe',
  '北京',
  'x1',
  'x2',
  'keeper',
  'the',
  'of',
]

/** A sample that is the same in each run. */
function someDocuments(count: number): Document[] {
  let seed = 11
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fff_ffff
    return Math.floor((seed / 0x7fff_ffff) * below)
  }
  return Array.from({ length: count }, (_, doc) => {
    // Words at the start of the list are more frequent than words at its end.
    const words = Array.from({ length: 1 + next(12) }, () => vocabulary[Math.min(next(14), next(14))] ?? 'bee')
    return { doc: doc * 2 + 1, file: next(5), text: words.join(' ') }
  })
}

async function segmentOf(documents: readonly Document[]): Promise<Segment> {
  const builder = segmentBuilder()
  for (const document of documents) builder.add(document)
  return builder.build(timeSlices())
}

async function live(documents: readonly Document[], isDead: (document: Document) => boolean): Promise<LiveSegment> {
  const bits = new Uint8Array(Math.ceil(documents.length / 8))
  for (const [place, document] of documents.entries()) {
    if (isDead(document)) bits[place >> 3] = (bits[place >> 3] ?? 0) | (1 << (place & 7))
  }
  return liveSegment(await segmentOf(documents), bits)
}

/** The content of the segment, independent of its representation. */
function contentOf(segment: Segment): object {
  const { docs, files, lengths, termStarts, postingStarts, postings, frequencies } = segment
  const terms = Array.from({ length: termStarts.length - 1 }, (_, place) => {
    const [from, to] = [postingStarts[place], postingStarts[place + 1]]
    return [termAt(segment, place), [...postings.subarray(from, to)], [...frequencies.subarray(from, to)]]
  })
  return { docs: [...docs], files: [...files], lengths: [...lengths], terms }
}

const documents = someDocuments(300)
const queries = ['honey', 'bee honey zeppelin', 'größe 北京', 'x1 x2 x1', 'the', 'the wasp of keeper', 'unheard']

describe('a segment', () => {
  it('lists the documents of each term, in the order of the terms', async () => {
    const segment = await segmentOf([
      { doc: 3, file: 1, text: 'honey bee honey' },
      { doc: 8, file: 2, text: 'the bee' },
    ])
    expect(contentOf(segment)).toEqual({
      docs: [3, 8],
      files: [1, 2],
      lengths: [3, 1],
      terms: [
        ['bee', [0, 1], [1, 1]],
        ['honei', [0], [2]],
        ['the', [1], [1]],
      ],
    })
  })

  it('is the same when it is decoded from its bytes', async () => {
    const segment = await segmentOf(documents)
    const decoded = decodeSegment(Uint8Array.from(encodeSegment(segment)))
    expect(decoded && contentOf(decoded)).toEqual(contentOf(segment))
  })

  it('is not decoded from other bytes, nor from too few', async () => {
    const bytes = Uint8Array.from(encodeSegment(await segmentOf(documents)))
    expect(decodeSegment(bytes.slice(0, 500))).toBeUndefined()
    expect(decodeSegment(bytes.fill(7, 0, 4))).toBeUndefined()
    expect(decodeSegment(new Uint8Array(8))).toBeUndefined()
  })

  it('counts a very frequent word up to the largest value of a byte', async () => {
    const segment = await segmentOf([{ doc: 1, file: 1, text: 'honey '.repeat(1_000) }])
    expect([...segment.frequencies]).toEqual([255])
    expect([...segment.lengths]).toEqual([1_000])
  })

  it('sorts many terms with a common prefix', async () => {
    const words = Array.from({ length: 6_000 }, (_, number) => `item${(number * 7919) % 6_000}`)
    const segment = await segmentOf([{ doc: 1, file: 1, text: `item ${words.join(' ')} größe 𠮷 ｚ` }])
    const terms = Array.from({ length: segment.termStarts.length - 1 }, (_, place) => termAt(segment, place))
    expect(terms).toEqual([...terms].sort())
    expect(terms).toHaveLength(6_004)
  })
})

describe('a merge', () => {
  it('equals a new segment of the documents that are not deleted', async () => {
    const isDead = ({ doc }: Document): boolean => doc % 3 === 0
    const parts = [documents.slice(0, 10), documents.slice(10, 200), documents.slice(200)]
    const merged = await mergeSegments(await Promise.all(parts.map((part) => live(part, isDead))), timeSlices())
    expect(contentOf(merged)).toEqual(contentOf(await segmentOf(documents.filter((document) => !isDead(document)))))
  })
})

describe('ranking', () => {
  it.each(queries)('scores "%s" by BM25, in one segment or in many, without deleted documents', async (query) => {
    const isDead = ({ doc }: Document): boolean => doc % 5 === 0
    const living = documents.filter((document) => !isDead(document))
    const parts = [documents.slice(0, 1), documents.slice(1, 120), documents.slice(120, 250), documents.slice(250)]
    const split = await Promise.all(parts.map((part) => live(part, isDead)))
    const whole = [await live(living, () => false)]
    const expected = bm25(living, query)

    for (const segments of [split, whole]) {
      const found = rank(segments, queryWords(query), { limit: 25 })
      expect(found.map(({ doc }) => doc)).toEqual(expected.slice(0, 25).map(({ doc }) => doc))
      for (const [place, { score }] of found.entries()) expect(score).toBeCloseTo(expected[place]?.score ?? 0, 9)
      const few = rank(segments, queryWords(query), { limit: 3 })
      expect(few).toEqual(found.slice(0, 3))
    }
  })

  it('returns documents of the allowed files only, with word weights from all files', async () => {
    const segments = [await live(documents, () => false)]
    const query = queryWords('bee zeppelin')
    const all = rank(segments, query, { limit: 1_000 })
    const fileOf = new Map(documents.map(({ doc, file }) => [doc, file]))
    const found = rank(segments, query, { limit: 1_000, allowed: Uint8Array.of(0, 1, 0, 1) })
    expect(found).toEqual(all.filter(({ doc }) => fileOf.get(doc) === 1 || fileOf.get(doc) === 3))
  })
})

/** BM25 as published, without optimisations. */
function bm25(living: readonly Document[], query: string): { doc: number; score: number }[] {
  const stems = (text: string): string[] =>
    text.split(' ').map((word) => ({ größe: 'gross', honey: 'honei' })[word] ?? word)
  const isCommon = (word: string): boolean => word === 'the' || word === 'of'
  const all = stems(query)
  const words = all.some((word) => !isCommon(word)) ? all.filter((word) => !isCommon(word)) : all
  const texts = living.map(({ text }) => stems(text))
  const lengths = texts.map((text) => text.filter((word) => !isCommon(word)).length)
  const average = lengths.reduce((sum, length) => sum + length, 0) / living.length
  const rarity = (word: string): number => {
    const documentFrequency = texts.filter((text) => text.includes(word)).length
    return Math.log(1 + (living.length - documentFrequency + 0.5) / (documentFrequency + 0.5))
  }
  return living
    .map(({ doc }, place) => {
      const norm = 1.2 * (1 - 0.75 + (0.75 * (lengths[place] ?? 0)) / average)
      const score = words.reduce((sum, word) => {
        const frequency = texts[place]?.filter((said) => said === word).length ?? 0
        return sum + (rarity(word) * frequency * 2.2) / (frequency + norm)
      }, 0)
      return { doc, score }
    })
    .filter(({ score }) => score > 0)
    .sort((one, other) => (Math.abs(other.score - one.score) > 1e-12 ? other.score - one.score : one.doc - other.doc))
}
