import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { timeSlices } from '../util/time-slices.ts'
import { segmentBuilder } from './segment-builder.ts'
import { currentVocabulary } from './vocabulary.ts'

/** Words that no stemmer changes. */
const words = (from: number, count: number): string => Array.from({ length: count }, (_, n) => `x${from + n}`).join(' ')

it('ends a segment whose vocabulary is full, and starts the next one with an empty one', async () => {
  let builder = segmentBuilder()
  const segments = []
  for (let doc = 0; doc < 36; doc++) {
    builder.add({ doc, file: 0, text: words(doc * 4_000, 4_000) })
    if (!builder.isFull) continue
    segments.push(await builder.build(timeSlices()))
    builder = segmentBuilder()
    expect(currentVocabulary().terms.length).toBeLessThan(70_000)
  }
  segments.push(await builder.build(timeSlices()))

  expect(segments.length).toBeGreaterThan(2)
  expect(segments.reduce((sum, { docs }) => sum + docs.length, 0)).toBe(36)
  // Each segment has the terms of its documents alone.
  for (const { docs, termStarts } of segments) expect(termStarts.length - 1).toBe(docs.length * 4_000)
})

it('gives terms in their order, those between two calls included', async () => {
  const vocabulary = currentVocabulary()
  for (const terms of [['pear', 'fig'], ['apple', 'zucchini', 'grape'], ['größe', 'pear'], []]) {
    vocabulary.wordOf({ terms, length: 1 })
    const order = (await vocabulary.inOrder(timeSlices())).map((number) => vocabulary.terms[number])
    expect(order).toEqual([...vocabulary.terms].sort())
  }
})

it('keeps no text in memory of which it has terms', () => {
  const builder = segmentBuilder()
  const before = heapUsed()
  for (let doc = 0; doc < 400; doc++) {
    builder.add({ doc, file: 0, text: `${doc}x${'7'.repeat(50_000)} ${doc}-and-more-of-it ${'a '.repeat(10_000)}` })
  }
  expect(heapUsed() - before).toBeLessThan(10_000_000) // of 28,000,000
})

function heapUsed(): number {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void // of the flag
  gc()
  return process.memoryUsage().heapUsed
}
