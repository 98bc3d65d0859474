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

it.each(['small-2', 'small-1-mini', 'toString'])('knows nothing of %s', (id) => {
  expect(modelFacts(id, table)).toBeUndefined()
})

it('says nothing that it does not know', () => {
  expect(modelInfoOf(modelFacts('bare', table), table)).toEqual({})
  expect(modelInfoOf(undefined, table)).toEqual({})
})
