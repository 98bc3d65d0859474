import { expect, it } from 'vitest'
import { modelFacts, modelInfoOf } from './model-facts.ts'

const table = {
  source: 'a catalogue',
  asOf: '2026-10-01',
  models: { 'small-1': { contextWindow: 1000, maxOutputTokens: 100, usdPerMillion: [1, 2, 0.1, 1.25] }, bare: {} },
}

it.each(['small-1', 'small-1-20260901', 'small-1-2026-09-01', 'small-1@20260901', 'small-1-latest'])(
  'knows %s',
  (id) => {
    expect(modelInfoOf(modelFacts(id, table), table)).toEqual({
      contextWindow: 1000,
      maxOutputTokens: 100,
      price: {
        inputUsdPerMillion: 1,
        outputUsdPerMillion: 2,
        cachedInputUsdPerMillion: 0.1,
        cacheWriteUsdPerMillion: 1.25,
        asOf: '2026-10-01',
      },
    })
  },
)

it.each(['small-2', 'small-1-mini', 'toString'])('has no row for %s', (id) => {
  expect(modelFacts(id, table)).toBeUndefined()
})

it('prefers the full id, and a price with a date of its own', () => {
  const models = {
    'big-latest': { imageTokens: 700, usdPerMillion: [1, 2], asOf: '2026-11-01' },
    big: { usdPerMillion: [1] },
  }
  const dated = { ...table, models }
  expect(modelInfoOf(modelFacts('big-latest', dated), dated)).toStrictEqual({
    imageTokens: 700,
    price: { inputUsdPerMillion: 1, outputUsdPerMillion: 2, asOf: '2026-11-01' },
  })
  // An incomplete price counts as unknown.
  expect(modelInfoOf(modelFacts('big-20261101', dated), dated)).toStrictEqual({})
})

it('omits unknown facts', () => {
  expect(modelInfoOf(modelFacts('bare', table), table)).toEqual({})
  expect(modelInfoOf(undefined, table)).toEqual({})
})

it('has the prices of a long prompt, without that of cache writes, which follows from them', () => {
  const facts = {
    usdPerMillion: [1, 2],
    longPrompt: { aboveInputTokens: 500, usdPerMillion: [2, 3, 0.2, 2.5] },
  }
  expect(modelInfoOf(facts, table).price).toEqual({
    inputUsdPerMillion: 1,
    outputUsdPerMillion: 2,
    longPrompt: {
      aboveInputTokens: 500,
      inputUsdPerMillion: 2,
      outputUsdPerMillion: 3,
      cachedInputUsdPerMillion: 0.2,
    },
    asOf: '2026-10-01',
  })
})
