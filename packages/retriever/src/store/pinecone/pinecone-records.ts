import type { PineconeRecord } from '@pinecone-database/pinecone'
import { chunkMetadata } from './pinecone-filter.ts'

/** A chunk as Pinecone is to know it. */
export type VectorRow = { id: string; file: string; textHash: string; vector: Float32Array }

/**
 * Pinecone takes 1,000 records and 2 MB at once. Less, because to write or read as much JSON holds the thread: half a
 * megabyte, for some 10 ms.
 */
export const largestRequest = { records: 1000, bytes: 500_000 }

/** `-0.123456789,`: the longest that `shortNumber` makes, but for rare numbers close to 0. */
const bytesOfNumber = 13

/** Chunks in batches that one request can carry. */
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

/** How many vectors may be fetched at once: their ids stand in the address, which must stay short. */
export function fetchSize(dimensions: number): number {
  return Math.max(1, Math.min(100, Math.floor(largestRequest.bytes / (dimensions * bytesOfNumber))))
}

export function toRecord({ id, file, vector }: VectorRow): PineconeRecord {
  return { id, values: Array.from(vector, shortNumber), metadata: chunkMetadata(file) }
}

/** Whether it points anywhere: Pinecone refuses a batch for one vector of zeros. */
export function hasDirection(vector: Float32Array): boolean {
  let square = 0
  for (const value of vector) square += value * value
  return square > 0 && Number.isFinite(square)
}

/** The same number of 32 bits in half the digits: written out as one of 64 it would have 20. */
export function shortNumber(value: number): number {
  const short = Math.round(value * 1e9) / 1e9
  return Math.fround(short) === value ? short : Number(value.toPrecision(9))
}

function weightOf({ id, file, vector }: VectorRow): number {
  // Escaped, and with each of its folders as a short hash.
  const metadata = JSON.stringify(chunkMetadata(file))
  return Buffer.byteLength(metadata) + id.length + vector.length * bytesOfNumber + 40
}
