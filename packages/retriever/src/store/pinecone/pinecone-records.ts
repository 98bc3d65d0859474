import type { PineconeRecord } from '@pinecone-database/pinecone'
import { chunkMetadata } from './pinecone-filter.ts'

/** A chunk as a record of Pinecone. */
export type VectorRow = { id: string; file: string; textHash: string; vector: Float32Array }

/**
 * Pinecone accepts 1,000 records and 2 MB per request. Fewer, because JSON of that size blocks the thread: half a
 * megabyte takes about 10 ms.
 */
const largestRequest = { records: 1000, bytes: 500_000 }

/** `-0.123456789,`: the longest result of `shortNumber`, except for rare numbers close to 0. */
const bytesOfNumber = 13

/** Splits chunks into batches of one request each. */
export function* upsertBatches(
  rows: readonly VectorRow[],
  { records, bytes }: typeof largestRequest = largestRequest,
): Generator<VectorRow[]> {
  let batch: VectorRow[] = []
  let weight = 0
  for (const row of rows) {
    const more = weightOf(row)
    if (batch.length > 0 && (batch.length === records || weight + more > bytes)) {
      yield batch
      batch = []
      weight = 0
    }
    batch.push(row)
    weight += more
  }
  if (batch.length > 0) yield batch
}

/** The number of vectors per fetch: their ids are part of the URL, whose length is limited. */
export function fetchSize(dimensions: number): number {
  return Math.max(1, Math.min(100, Math.floor(largestRequest.bytes / (dimensions * bytesOfNumber))))
}

export function toRecord({ id, file, vector }: VectorRow): PineconeRecord {
  return { id, values: Array.from(vector, shortNumber), metadata: chunkMetadata(file) }
}

/** Whether it has a direction: Pinecone refuses a batch because of one zero vector. */
export function hasDirection(vector: Float32Array): boolean {
  let square = 0
  for (const value of vector) square += value * value
  return square > 0 && Number.isFinite(square)
}

/** A 32-bit number in half the digits: as a 64-bit number it would have 20. */
export function shortNumber(value: number): number {
  const short = Math.round(value * 1e9) / 1e9
  return Math.fround(short) === value ? short : Number(value.toPrecision(9))
}

function weightOf({ id, file, vector }: VectorRow): number {
  // Escaped, and with each of its folders as a short hash.
  const metadata = JSON.stringify(chunkMetadata(file))
  return Buffer.byteLength(metadata) + id.length + vector.length * bytesOfNumber + 40
}
