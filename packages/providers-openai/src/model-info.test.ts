import { describe, expect, it } from 'vitest'
import { modelInfo } from './model-info.ts'

describe('modelInfo', () => {
  it('knows limits and price, and since when', () => {
    expect(modelInfo('gpt-5.2')).toEqual({
      contextWindow: 400_000,
      maxOutputTokens: 128_000,
      nativeOutput: 'always',
      price: {
        inputUsdPerMillion: 1.75,
        outputUsdPerMillion: 14,
        cachedInputUsdPerMillion: 0.175,
        asOf: '2025-12-11',
      },
    })
  })

  it('knows a dated snapshot by the name of its model', () => {
    expect(modelInfo('gpt-5-mini-2025-08-07')).toEqual(modelInfo('gpt-5-mini'))
  })

  it('does not take the first gpt-4o for the later ones', () => {
    expect(modelInfo('gpt-4o-2024-11-20')).toMatchObject({
      maxOutputTokens: 16_384,
      price: { inputUsdPerMillion: 2.5 },
    })
    expect(modelInfo('gpt-4o-2024-05-13')).toEqual({
      contextWindow: 128_000,
      maxOutputTokens: 4096,
      nativeOutput: 'always',
    })
  })

  it.each(['gpt-5.4', 'gpt-5.5', 'gpt-5.6-luna', 'gpt-5.6-terra'])(
    'names no price for %s, which may cost more for a long prompt',
    (id) => {
      expect(modelInfo(id)).toEqual({ contextWindow: 1_050_000, maxOutputTokens: 128_000, nativeOutput: 'always' })
    },
  )

  it.each([
    ['brand-new', 'always'],
    ['gpt-3.5-turbo', 'never'],
    ['gpt-4', 'never'],
    ['gpt-4-turbo', 'never'],
  ])('knows of %s only whether it writes JSON to a schema: %s', (id, nativeOutput) => {
    expect(modelInfo(id)).toEqual({ nativeOutput })
  })
})
