import { expect, it } from 'vitest'
import { addUsage, reportedUsage, type Usage } from './usage.ts'

it.each<[Usage, Usage, Usage]>([
  [{}, {}, {}],
  [{ inputTokens: 1 }, {}, { inputTokens: 1 }],
  [{ inputTokens: 1 }, { outputTokens: 2 }, { inputTokens: 1, outputTokens: 2 }],
  [{ inputTokens: 0 }, { inputTokens: 0 }, { inputTokens: 0 }],
  [
    { inputTokens: 1, outputTokens: 2, cachedInputTokens: 3, cacheWriteTokens: 4, reasoningTokens: 5, totalTokens: 6 },
    {
      inputTokens: 10,
      outputTokens: 20,
      cachedInputTokens: 30,
      cacheWriteTokens: 40,
      reasoningTokens: 50,
      totalTokens: 60,
    },
    {
      inputTokens: 11,
      outputTokens: 22,
      cachedInputTokens: 33,
      cacheWriteTokens: 44,
      reasoningTokens: 55,
      totalTokens: 66,
    },
  ],
])('adds field by field, and keeps absent fields absent: %o + %o', (a, b, sum) => {
  const before = structuredClone([a, b])
  expect(addUsage(a, b)).toEqual(sum)
  expect(Object.keys(addUsage(a, b))).toEqual(Object.keys(sum))
  expect([a, b]).toEqual(before)
})

it.each<[Usage, Usage]>([
  [{ inputTokens: 0, outputTokens: 0, totalTokens: 0 }, {}],
  [
    { inputTokens: 0, outputTokens: 5, reasoningTokens: 2 },
    { outputTokens: 5, reasoningTokens: 2 },
  ],
  [
    { inputTokens: 7, outputTokens: 0 },
    { inputTokens: 7, outputTokens: 0 },
  ],
])('accepts %j as reported usage: every call has input', (usage, reported) => {
  expect(reportedUsage(usage)).toEqual(reported)
})
