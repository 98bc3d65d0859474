import { expect, it } from 'vitest'
import { topList } from './top-list.ts'

it.each([0, 1, 2, 7, 100, 1000])('keeps the %i best entries, and the first of equal ones', (limit) => {
  const offers = Array.from({ length: 500 }, (_, doc) => ({ doc, score: (doc * 7919) % 83 }))
  const best = topList(limit)
  for (const { doc, score } of offers) best.offer(doc, score)
  const sorted = offers.sort((one, other) => other.score - one.score || one.doc - other.doc)
  expect(best.end()).toEqual(sorted.slice(0, limit))
})
