import { describe, expect, it } from 'vitest'
import { mergeUsage, withTotal } from './usage.ts'

const merged = (...reports: object[]) => withTotal(reports.reduce(mergeUsage, {}))

describe('usage that is reported more than once', () => {
  it('is the last report, and zero and null erase nothing (Q17)', () => {
    const first = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
    expect(merged(first, { prompt_tokens: 12, completion_tokens: 6, total_tokens: 18 })).toEqual({
      inputTokens: 12,
      outputTokens: 6,
      totalTokens: 18,
    })
    expect(merged(first, { prompt_tokens: null, completion_tokens: 0, total_tokens: 0 })).toEqual({
      inputTokens: 10,
      outputTokens: 5,
      totalTokens: 15,
    })
  })

  it('has no total below its parts', () => {
    const last = { prompt_tokens: 10, completion_tokens: 0, total_tokens: 10 }
    expect(merged({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }, last).totalTokens).toBe(15)
  })

  it('keeps no earlier reasoning above the output', () => {
    const first = { completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 4 } }
    expect(merged(first, { completion_tokens: 3 })).toEqual({ outputTokens: 3 })
    expect(merged(first, { completion_tokens: 6 })).toEqual({ outputTokens: 6, reasoningTokens: 4 })
    const apart = { completion_tokens: 3, completion_tokens_details: { reasoning_tokens: 9 } }
    expect(merged(apart)).toEqual({ outputTokens: 3, reasoningTokens: 9 })
  })
})

describe('usage in the fields of other servers', () => {
  it('counts reasoning as output where only the total contains it, as with xAI', () => {
    const report = { prompt_tokens: 10, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 100 } }
    expect(merged({ ...report, total_tokens: 115 })).toEqual({
      inputTokens: 10,
      outputTokens: 105,
      reasoningTokens: 100,
      totalTokens: 115,
    })
    const within = { ...report, completion_tokens: 105, total_tokens: 115 }
    expect(merged({ ...report, total_tokens: 115 }, within).outputTokens).toBe(105)
  })

  it.each([
    ['DeepSeek', { prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 6 }],
    ['Mistral', { prompt_tokens_details: null, num_cached_tokens: 4 }],
    ['Moonshot', { cached_tokens: 4 }],
  ])('has the cached tokens of %s', (_name, cached) => {
    expect(merged({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, ...cached }).cachedInputTokens).toBe(4)
    const details = { prompt_tokens_details: { cached_tokens: 3 } }
    expect(merged({ prompt_tokens: 10, ...cached, ...details }).cachedInputTokens).toBe(3)
  })

  it.each(['cache_write_tokens', 'cache_creation_tokens'])('has the tokens written to the cache: %s', (field) => {
    const details = { cached_tokens: 3, [field]: 4 }
    expect(merged({ prompt_tokens: 10, prompt_tokens_details: details })).toEqual({
      inputTokens: 10,
      cachedInputTokens: 3,
      cacheWriteTokens: 4,
    })
  })
})
