import { deserialize, serialize } from 'node:v8'
import type { Chunk } from './chunk.ts'

/**
 * Passages of a file that follow each other, as they go from thread to thread: their values in a row. Objects, which
 * spell out their keys, take several times as long.
 */
export type PackedChunks = { firstOrder: number; values: Value[] }

type Value = string | number | undefined

export function packChunks(chunks: readonly Chunk[]): PackedChunks {
  const values: Value[] = []
  for (const { id, textHash, quote, start, end, heading, page, pageEnd, row, rowEnd } of chunks) {
    values.push(id, textHash, quote, start, end, heading, page, pageEnd, row, rowEnd)
  }
  return { firstOrder: chunks[0]?.order ?? 0, values }
}

/** Many passages as bytes, for `unpackBytes`. */
export function packBytes(chunks: readonly Chunk[]): Uint8Array {
  return serialize(packChunks(chunks))
}

export function unpackBytes(file: string, bytes: Uint8Array): Chunk[] {
  return unpackChunks(file, deserialize(bytes) as PackedChunks) // by `packBytes`
}

/** The passages, of that file. */
export function unpackChunks(file: string, { firstOrder, values }: PackedChunks): Chunk[] {
  const chunks: Chunk[] = []
  let at = 0
  // Each value has the type that it had when it was packed.
  const text = (): string => values[at++] as string
  const number = (): number => values[at++] as number
  for (let order = firstOrder; at < values.length; order++) {
    const [id, textHash, quote] = [text(), text(), text()]
    const chunk: Chunk = { id, file, order, quote, start: number(), end: number(), textHash }
    const heading = values[at++]
    if (heading !== undefined) chunk.heading = heading as string
    for (const name of ['page', 'pageEnd', 'row', 'rowEnd'] as const) {
      const value = values[at++]
      if (value !== undefined) chunk[name] = value as number
    }
    chunks.push(chunk)
  }
  return chunks
}
