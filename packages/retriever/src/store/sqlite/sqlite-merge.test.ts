import { expect, it } from 'vitest'
import { planMerge } from './sqlite-merge.ts'

/** Segments with the given numbers of documents and of live documents. */
function plan(sizes: readonly (number | [number, number])[], options: { neighbours: number; mostDocs?: number }) {
  const rows = sizes.map((size) => ({ docs: Array.isArray(size) ? size[0] : size, dead: new Uint8Array(), bytes: 0 }))
  const living = sizes.map((size) => (Array.isArray(size) ? size[1] : size))
  return planMerge(rows, living, options)
}

it.each<[string, (number | [number, number])[], { from: number; to: number } | undefined]>([
  ['nothing', [], undefined],
  ['few small ones', [3, 3, 3], undefined],
  ['enough small ones', [3, 3, 3, 3], { from: 0, to: 4 }],
  ['small ones behind a large one', [20_000, 3, 3, 3, 3], { from: 1, to: 5 }],
  ['small ones between large ones', [20_000, 3, 3, 20_000, 3, 3, 3, 3, 3, 20_000], { from: 4, to: 9 }],
  ['large ones', [16_000, 16_000, 16_000, 16_000, 5], { from: 0, to: 5 }],
  ['no more than a segment can hold', [30_000, 30_000, 30_000, 30_000], undefined],
  ['one of which most is dead', [10_000, [10_000, 100], 10_000], { from: 1, to: 2 }],
  ['not one of which a little is dead', [[10_000, 9_000]], undefined],
])('merges %s', (_what, sizes, range) => {
  expect(plan(sizes, { neighbours: 4 })).toEqual(range)
})

it('terminates, and moves each document only a few times', () => {
  let sizes: number[] = []
  let moved = 0
  for (let change = 0; change < 20_000; change++) {
    sizes.push(3)
    for (;;) {
      const range = plan(sizes, { neighbours: 8 })
      if (!range) break
      const merged = sizes.slice(range.from, range.to).reduce((sum, size) => sum + size, 0)
      moved += merged
      sizes = [...sizes.slice(0, range.from), merged, ...sizes.slice(range.to)]
    }
    expect(sizes.length).toBeLessThan(40)
  }
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(60_000)
  expect(moved / 60_000).toBeLessThan(6)
})
