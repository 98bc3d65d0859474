import { deserialize, serialize } from 'node:v8'
import type { Chunk } from './chunk.ts'

/** The values of passages that follow each other. Objects, which spell out their keys, take several times as long. */
type Packed = { firstOrder: number; values: Value[] }

type Value = string | number | undefined

/** Passages by `packBytes`, and how many they are. */
export type PackedPart = { packed: Uint8Array; count: number }

/** Passages of a file that follow each other as bytes, for `unpackBytes`: as they go from process to process. */
export function packBytes(chunks: readonly Chunk[]): Uint8Array {
  const values: Value[] = []
  for (const { id, textHash, quote, start, end, heading, page, pageEnd, row, rowEnd } of chunks) {
    values.push(id, textHash, quote, start, end, heading, page, pageEnd, row, rowEnd)
  }
  const packed: Packed = { firstOrder: chunks[0]?.order ?? 0, values }
  return serialize(packed)
}

/** The passages, of that file. */
export function unpackBytes(file: string, bytes: Uint8Array): Chunk[] {
  const { firstOrder, values } = deserialize(bytes) as Packed // by `packBytes`
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
