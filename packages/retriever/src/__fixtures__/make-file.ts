import { createHash } from 'node:crypto'
import { type Chunk, searchedText, type NewChunk } from '../data/chunk.ts'
import type { ChunkSlices } from '../data/chunk-slices.ts'
import { chunkId, textHash } from '../data/chunk-id.ts'
import type { FileRecord } from '../data/file-record.ts'
import type { Change } from '../store/store.ts'

export const never: AbortSignal = new AbortController().signal

/** A file as the indexer hands it to a store: a chunk for each passage; with vectors where `dimensions` are given. */
export function makeFile(
  file: string,
  passages: readonly (string | (Partial<Chunk> & { quote: string; vector?: Float32Array }))[],
  { dimensions, record = {} }: { dimensions?: number | undefined; record?: Partial<FileRecord> } = {},
): { record: FileRecord; chunks: NewChunk[] } {
  const repeats = new Map<string, number>()
  let start = 0
  const chunks = passages.map((passage, order): NewChunk => {
    const { vector, ...given } = typeof passage === 'string' ? { quote: passage } : passage
    const repeat = repeats.get(given.quote) ?? 0
    repeats.set(given.quote, repeat + 1)
    const text = searchedText(given)
    const chunk: NewChunk = {
      id: chunkId(file, given.quote, repeat),
      file,
      order,
      start,
      end: start + given.quote.length,
      textHash: textHash(text),
      ...given,
    }
    start = chunk.end + 2
    if (dimensions !== undefined) chunk.vector = vector ?? vectorOf(text, dimensions)
    return chunk
  })
  const characters = Math.max(0, start - 2)
  const hash = createHash('sha256').update(JSON.stringify(passages)).digest('hex')
  const known = { file, size: characters, mtimeMs: 1_700_000_000_123.5, hash, status: 'ok' } as const
  return { record: { ...known, chunks: chunks.length, characters, ...record }, chunks }
}

/** A change that adds these files, or puts them in the place of what they were. */
export function adding(...changed: Change['changed']): Change {
  return { changed, removed: [] }
}

/** A vector of length 1: the same for the same text, another direction for any other. */
export function vectorOf(text: string, dimensions: number): Float32Array {
  const bytes = createHash('sha512').update(text).digest()
  return unit(Array.from({ length: dimensions }, (_, index) => (bytes[index % 64] ?? 0) - 127.5))
}

/** The vector scaled to length 1. */
export function unit(numbers: readonly number[]): Float32Array {
  const length = Math.hypot(...numbers)
  return Float32Array.from(numbers, (number) => number / length)
}

/** A chunk as a store gives it back: without its vector. */
export function stored({ vector: _vector, ...chunk }: NewChunk): Chunk {
  return chunk
}

/** The chunks of a large file, which no other thread can read. */
export function inSlices(chunks: readonly NewChunk[]): ChunkSlices {
  return {
    length: chunks.length,
    async *slices({ vectors = false } = {}) {
      for (let at = 0; at < chunks.length; at += 100) {
        const slice = chunks.slice(at, at + 100)
        yield vectors ? slice : slice.map(stored)
      }
    },
  }
}
