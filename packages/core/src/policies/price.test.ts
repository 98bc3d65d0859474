import { describe, expect, it } from 'vitest'
import { checkPrice, checkPrices, costOf, type GivenPrice, type Prices, worstCostOf } from './price.ts'

const plain: GivenPrice = { inputUsdPerMillion: 2, outputUsdPerMillion: 10 }
const full: GivenPrice = {
  ...plain,
  cachedInputUsdPerMillion: 0.2,
  cacheWriteUsdPerMillion: 2.5,
  longPrompt: {
    aboveInputTokens: 272_000,
    inputUsdPerMillion: 4,
    outputUsdPerMillion: 15,
    cachedInputUsdPerMillion: 0.4,
  },
  asOf: '2026-09-23',
}

describe('costOf', () => {
  it.each([
    ['input and output', { inputTokens: 100_000, outputTokens: 10_000 }, plain, 0.2 + 0.1],
    ['reported tokens alone', { outputTokens: 10_000 }, plain, 0.1],
    ['nothing for an empty usage', {}, plain, 0],
    ['cached input at the price of input', { inputTokens: 100_000, cachedInputTokens: 60_000 }, plain, 0.2],
    ['cache writes at the price of input', { inputTokens: 100_000, cacheWriteTokens: 60_000 }, plain, 0.2],
    ['cached input at its own price', { inputTokens: 100_000, cachedInputTokens: 60_000 }, full, 0.08 + 0.012],
    ['cache writes at theirs', { inputTokens: 100_000, cacheWriteTokens: 40_000 }, full, 0.12 + 0.1],
    [
      'all of a prompt that is just not long at the short price',
      { inputTokens: 272_000, outputTokens: 1_000 },
      full,
      0.544 + 0.01,
    ],
    [
      'the whole call at the long price',
      { inputTokens: 300_000, cachedInputTokens: 100_000, cacheWriteTokens: 100_000, outputTokens: 1_000 },
      full,
      0.4 + 0.04 + 0.5 + 0.015,
    ],
    ['a cached prompt that is not reported as input', { cachedInputTokens: 100_000 }, full, 0.02],
  ])('counts %s', (_name, usage, price, usd) => {
    expect(costOf(usage, price)).toBeCloseTo(usd, 10)
  })

  it('counts cached input of a long prompt at its input price when it has no cache price', () => {
    const longPrompt = { aboveInputTokens: 10, inputUsdPerMillion: 4, outputUsdPerMillion: 15 }
    const price = { ...plain, cachedInputUsdPerMillion: 0.2, longPrompt }
    expect(costOf({ inputTokens: 100_000, cachedInputTokens: 100_000 }, price)).toBeCloseTo(0.4, 10)
  })

  it('returns 0 for a free model', () => {
    const longPrompt = { aboveInputTokens: 1, inputUsdPerMillion: 0, outputUsdPerMillion: 0 }
    const free = { inputUsdPerMillion: 0, outputUsdPerMillion: 0, longPrompt }
    expect(costOf({ inputTokens: 5, cacheWriteTokens: 5, outputTokens: 5 }, free)).toBe(0)
  })
})

describe('worstCostOf', () => {
  it('uses the highest rate that may apply', () => {
    expect(worstCostOf({ inputTokens: 100_000, outputTokens: 10_000 }, plain)).toBeCloseTo(0.2 + 0.1, 10)
    expect(worstCostOf({ inputTokens: 100_000, outputTokens: 10_000 }, full)).toBeCloseTo(0.25 + 0.1, 10)
    expect(worstCostOf({ inputTokens: 300_000, outputTokens: 10_000 }, full)).toBeCloseTo(1.5 + 0.15, 10)
  })

  it('uses the short price when the long one is lower', () => {
    const longPrompt = { aboveInputTokens: 10, inputUsdPerMillion: 1, outputUsdPerMillion: 20 }
    expect(worstCostOf({ inputTokens: 100_000, outputTokens: 10_000 }, { ...plain, longPrompt })).toBeCloseTo(0.4, 10)
  })

  it('is never below the cost of a shorter call', () => {
    for (const inputTokens of [0, 1_000, 272_000, 272_001, 500_000]) {
      const worst = worstCostOf({ inputTokens: 500_000, outputTokens: 5_000 }, full)
      for (const cacheWriteTokens of [0, inputTokens]) {
        expect(costOf({ inputTokens, cacheWriteTokens, outputTokens: 5_000 }, full)).toBeLessThanOrEqual(worst)
      }
    }
  })
})

describe('checkPrices', () => {
  it('accepts prices with and without a date', () => {
    expect(() => checkPrices({ 'acme/small': plain, 'acme/large': full })).not.toThrow()
  })

  it.each<[string, unknown, RegExp]>([
    ['a list', [], /`prices` is an object/],
    ['a model without its provider', { small: plain }, /"openai\/small"/],
    ['a number', { 'acme/small': 2 }, /`prices\["acme\/small"\]` is an object/],
  ])('refuses %s', (_name, prices, message) => {
    expect(() => checkPrices(prices as Prices)).toThrow(message)
  })

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['no output', { outputUsdPerMillion: undefined }, /`outputUsdPerMillion`/],
    ['a negative number', { inputUsdPerMillion: -1 }, /\.inputUsdPerMillion` is a number, 0 or more/],
    ['no number', { inputUsdPerMillion: Number.NaN }, /\.inputUsdPerMillion`/],
    ['an endless number', { cacheWriteUsdPerMillion: Number.POSITIVE_INFINITY }, /\.cacheWriteUsdPerMillion`/],
    ['a text', { cachedInputUsdPerMillion: '0.1' }, /\.cachedInputUsdPerMillion`/],
    ['no date', { asOf: 'lately' }, /\.asOf`/],
    ['a long prompt without its bound', { longPrompt: { ...plain } }, /\.longPrompt` needs `aboveInputTokens`/],
    ['a long prompt that is a number', { longPrompt: 272_000 }, /\.longPrompt` is an object/],
    [
      'a negative price of long prompts',
      { longPrompt: { ...full.longPrompt, inputUsdPerMillion: -4 } },
      /\.longPrompt\.inputUsdPerMillion`/,
    ],
  ])('refuses a price with %s', (_name, change, message) => {
    // A price as plain JavaScript may pass it.
    const price = { ...plain, ...change } as GivenPrice
    expect(() => checkPrice('acme/small', price)).toThrow(message)
    expect(() => checkPrice('acme/small', price)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
  })
})
