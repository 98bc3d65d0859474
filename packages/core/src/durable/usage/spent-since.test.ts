import { expect, it } from 'vitest'
import { spentSince } from './spent-since.ts'

it('is the usage of a run since it was last read', () => {
  const before = { usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 }, cost: { usd: 0.25 } }
  const after = { usage: { inputTokens: 30, outputTokens: 6, totalTokens: 36 }, cost: { usd: 1 } }
  expect(spentSince(before, after)).toEqual({
    usage: { inputTokens: 20, outputTokens: 1, totalTokens: 21 },
    cost: { usd: 0.75 },
  })
})

it('is everything of a run that had not begun', () => {
  expect(spentSince({}, { usage: { inputTokens: 3 }, cost: { usd: 1 } })).toEqual({
    usage: { inputTokens: 3 },
    cost: { usd: 1 },
  })
})

it('is nothing where the run has used nothing since', () => {
  const used = { usage: { inputTokens: 3, outputTokens: 1, totalTokens: 4 }, cost: { usd: 1 } }
  expect(spentSince(used, used)).toEqual({
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    cost: { usd: 0 },
  })
})

it('has no figure that the run does not have', () => {
  expect(spentSince({}, {})).toEqual({ usage: {} })
  // The model has no price.
  expect(spentSince({}, { usage: { inputTokens: 3, outputTokens: 1 } })).toEqual({
    usage: { inputTokens: 3, outputTokens: 1 },
  })
})
