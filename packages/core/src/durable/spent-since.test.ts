import { expect, it } from 'vitest'
import { spentSince } from './spent-since.ts'

it('is what a run has used since it was read before', () => {
  const before = { usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 }, cost: { usd: 0.25 } }
  const after = { usage: { inputTokens: 30, outputTokens: 6, totalTokens: 36 }, cost: { usd: 1 } }
  expect(spentSince(before, after)).toEqual({
    usage: { inputTokens: 20, outputTokens: 1, totalTokens: 21 },
    cost: { usd: 0.75 },
  })
})

it('is everything of a run that had not begun, and nothing of one that did nothing', () => {
  const nothing = { usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 }, cost: { usd: 0 } }
  expect(spentSince({}, { usage: { inputTokens: 3 } })).toEqual({
    ...nothing,
    usage: { ...nothing.usage, inputTokens: 3 },
  })
  expect(spentSince({ usage: { inputTokens: 3 } }, {})).toEqual(nothing)
})
