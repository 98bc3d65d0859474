import { expect, it } from 'vitest'
import { vectorOf } from '../../__fixtures__/make-file.ts'
import { fetchSize, hasDirection, shortNumber, toRecord, upsertBatches, type VectorRow } from './pinecone-records.ts'

const rowOf = (place: number, dimensions: number, file = 'docs/a.md'): VectorRow => ({
  id: `${place}`.padStart(24, '0'),
  file,
  textHash: `${place}`,
  vector: vectorOf(`${place}`, dimensions),
})

it.each([
  [3, 1000, 1],
  [8, 2500, 3],
  [1536, 200, 9],
  [3072, 60, 5],
])('sends %i dimensions, %i records, in %i requests that Pinecone accepts', (dimensions, count, requests) => {
  const rows = Array.from({ length: count }, (_, place) => rowOf(place, dimensions))
  const batches = [...upsertBatches(rows)]
  expect(batches.flat()).toEqual(rows)
  expect(batches.length).toBeLessThanOrEqual(requests)
  for (const batch of batches) {
    expect(batch.length).toBeLessThanOrEqual(1000)
    expect(Buffer.byteLength(JSON.stringify({ vectors: batch.map(toRecord), namespace: 'n' }))).toBeLessThan(510_000)
  }
})

it('counts paths of many bytes', () => {
  const file = `${'Übung "größe" 資料/'.repeat(60)}a.md`
  const rows = Array.from({ length: 1000 }, (_, place) => rowOf(place, 8, file))
  for (const batch of upsertBatches(rows)) {
    expect(Buffer.byteLength(JSON.stringify(batch.map(toRecord)))).toBeLessThan(510_000)
  }
})

it('sends a record too large for a batch alone', () => {
  const rows = [0, 1, 2].map((place) => rowOf(place, 64))
  expect([...upsertBatches(rows, { records: 10, bytes: 100 })].map((batch) => batch.length)).toEqual([1, 1, 1])
})

it('writes numbers in a short form without loss', () => {
  const values = [0, 1, -1, 0.1, 1 / 3, -0.024_913_57, 1e-9, 3.4e-12, 1.5e-42, 123_456.78, ...vectorOf('some', 1536)]
  for (const value of values.map(Math.fround)) {
    expect(Math.fround(shortNumber(value))).toBe(value)
    expect(`${shortNumber(value)}`.length).toBeLessThanOrEqual(16)
  }
})

it('keeps URLs short and responses small', () => {
  expect(fetchSize(8)).toBe(100)
  expect(fetchSize(1536)).toBe(25)
  expect(fetchSize(200_000)).toBe(1)
})

it.each([
  [[0, 0, 0], false],
  [[0, Number.NaN, 1], false],
  [[0, Number.POSITIVE_INFINITY, 1], false],
  [[0, -0.1, 0], true],
])('%j has a direction: %s', (values, expected) => {
  expect(hasDirection(Float32Array.from(values))).toBe(expected)
})
