import { describe, expect, it } from 'vitest'
import { makeFile } from '../__fixtures__/make-file.ts'
import type { Found } from '../store/store.ts'
import { fuse } from './fuse.ts'
import { liftSections } from './lift-sections.ts'
import { spread } from './spread.ts'

const list = (ids: string, scoreOf = (index: number): number => 10 - index): Found[] =>
  [...ids].map((id, index) => ({ id, score: scoreOf(index) }))
const order = (text: string, vector: string, weight: number): string =>
  fuse(list(text), list(vector), weight)
    .map(({ id }) => id)
    .join('')

describe('the fusion of two lists', () => {
  it.each([
    ['lifts what both have', 'abc', 'cde', 1, 'cabde'],
    ['follows the first where the second weighs little', 'abc', 'cba', 0.01, 'abc'],
    ['leaves the second out where it weighs nothing', 'abc', 'xyz', 0, 'abc'],
    ['is the second where there is no first', '', 'xyz', 0.5, 'xyz'],
  ])('%s', (_, text, vector, weight, fused) => {
    expect(order(text, vector, weight)).toBe(fused)
  })

  it('keeps the scores of both lists, and adds the weighted reciprocals of the ranks', () => {
    expect(fuse(list('ab'), list('b'), 0.5)).toEqual([
      { id: 'b', text: 9, vector: 10, fused: 1 / 62 + 0.5 / 61 },
      { id: 'a', text: 10, fused: 1 / 61 },
    ])
  })

  it('takes no order from a list whose scores are all equal', () => {
    const same = list('dcba', () => 0.5)
    expect(fuse(list('ab'), same, 1).map(({ id, fused }) => [id, fused])).toEqual([
      ['a', 1 / 61 + 1 / 64],
      ['b', 1 / 62 + 1 / 64],
      ['d', 1 / 64],
      ['c', 1 / 64],
    ])
  })
})

describe('files among the results', () => {
  const firstLetters = (ranked: string[]): string => spread(ranked, (item) => item[0] ?? '').join(' ')

  it('fill at most three of ten places, and none is lost', () => {
    const long = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1', 'd1', 'e1', 'f1', 'g1', 'h1', 'i1']
    expect(firstLetters(long)).toBe('a1 a2 a3 b1 c1 d1 e1 f1 g1 h1 a4 a5 i1')
  })

  it('keep their order when there are no others', () => {
    const one = Array.from({ length: 12 }, (_, index) => `a${index}`)
    expect(firstLetters(one)).toBe(one.join(' '))
  })
})

describe('sections', () => {
  const chunks = new Map(
    [
      ...makeFile('a.md', [
        { quote: 'a1', heading: 'One' },
        { quote: 'a2', heading: 'Two' },
        { quote: 'a3', heading: 'Two' },
      ]).chunks,
      ...makeFile('b.md', ['b1', 'b2']).chunks,
    ].map((chunk) => [chunk.quote, chunk]),
  )
  const lifted = (...found: [string, number][]): [string, number][] =>
    liftSections(
      found.map(([id, score]) => ({ id, score })),
      (id) => chunks.get(id),
    ).map(({ id, score }) => [id, Math.round(score * 100) / 100])

  it('with more evidence lift their passages', () => {
    expect(lifted(['a1', 10], ['a2', 9.5], ['a3', 8])).toEqual([
      ['a2', 10.7],
      ['a1', 10],
      ['a3', 9.43],
    ])
  })

  it('are files when there are no headings', () => {
    expect(lifted(['a1', 10], ['b1', 9], ['b2', 8], ['a2', 7])).toEqual([
      ['b1', 10.2],
      ['a1', 10],
      ['b2', 9.35],
      ['a2', 7],
    ])
  })

  it('lift nothing without a known section', () => {
    expect(lifted(['x', 3], ['y', 2])).toEqual([
      ['x', 3],
      ['y', 2],
    ])
  })
})
