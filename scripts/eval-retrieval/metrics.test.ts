import { describe, expect, it } from 'vitest'
import { averagePrecision, chunkRecall, mean, ndcg, recall } from './metrics.ts'

// Known results of BM25, to check whole runs: MAP .312 on CACM (Anserini), .297 on NPL
// (PyTerrier), and at least nDCG@10 .32 and MAP .27 on Cranfield.

/** Four documents are relevant, `a` the most; two of them are found, at ranks 1 and 3. */
const relevant = new Map([
  ['a', 3],
  ['b', 1],
  ['c', 1],
  ['d', 1],
])
const ranked = ['b', 'x', 'a', 'y']

describe('nDCG', () => {
  it('discounts grades by rank, and compares with the best order', () => {
    const gained = 1 / Math.log2(2) + 3 / Math.log2(4)
    const best = 3 + 1 / Math.log2(3) + 1 / Math.log2(4) + 1 / Math.log2(5)
    expect(ndcg(ranked, relevant)).toBeCloseTo(gained / best, 12)
    expect(ndcg(ranked, relevant)).toBeCloseTo(0.5481, 4)
  })

  it('ignores places beyond its depth, in the ideal order too', () => {
    expect(ndcg(ranked, relevant, 1)).toBeCloseTo(1 / 3, 12)
  })

  it('is 1 for the best order and 0 for an empty one', () => {
    expect([ndcg(['a', 'c', 'b', 'd'], relevant), ndcg(['x'], relevant), ndcg(ranked, new Map())]).toEqual([1, 0, 0])
  })
})

describe('average precision', () => {
  it('is the mean of the precisions at relevant documents, found or not', () => {
    expect(averagePrecision(ranked, relevant)).toBeCloseTo((1 / 1 + 2 / 3) / 4, 12)
  })

  it('is 0 if nothing is relevant', () => {
    expect(averagePrecision(ranked, new Map())).toBe(0)
  })
})

it('recall is the fraction of relevant documents within the depth', () => {
  expect([recall(ranked, relevant), recall(ranked, relevant, 2), recall(ranked, new Map())]).toEqual([0.5, 0.25, 0])
})

describe('recall of text', () => {
  const wanted = [
    { file: 'a', start: 100, end: 200 },
    { file: 'b', start: 0, end: 300 },
  ]

  it('is the fraction of relevant characters that are read', () => {
    const read = [
      { file: 'a', start: 150, end: 250 },
      { file: 'c', start: 0, end: 300 },
      { file: 'b', start: 200, end: 400 },
    ]
    expect(chunkRecall(read, wanted)).toBe((50 + 100) / 400)
  })

  it('ends at the first passage that does not fit', () => {
    const read = [
      { file: 'b', start: 0, end: 60 },
      { file: 'b', start: 60, end: 120 },
      { file: 'a', start: 100, end: 110 },
    ]
    expect(chunkRecall(read, wanted, 100)).toBe(60 / 400)
  })
})

it('the mean of no numbers is 0', () => {
  expect([mean([]), mean([1, 2, 6])]).toEqual([0, 3])
})
