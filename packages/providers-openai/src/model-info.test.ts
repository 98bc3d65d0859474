import { describe, expect, it } from 'vitest'
import { modelInfo } from './model-info.ts'

describe('modelInfo', () => {
  it('knows limits and price, and since when', () => {
    expect(modelInfo('gpt-5.4-mini', true)).toEqual({
      contextWindow: 400_000,
      maxOutputTokens: 128_000,
      nativeOutput: 'always',
      price: {
        inputUsdPerMillion: 0.75,
        outputUsdPerMillion: 4.5,
        cachedInputUsdPerMillion: 0.075,
        asOf: '2026-09-23',
      },
    })
  })

  it('knows the prices of long prompts, cache writes and images', () => {
    expect(modelInfo('gpt-6.2-sol', true)).toEqual({
      contextWindow: 1_050_000,
      maxOutputTokens: 128_000,
      imageTokens: 36_000,
      nativeOutput: 'always',
      price: {
        inputUsdPerMillion: 2,
        outputUsdPerMillion: 10,
        cachedInputUsdPerMillion: 0.1,
        cacheWriteUsdPerMillion: 2.5,
        longPrompt: {
          aboveInputTokens: 272_000,
          inputUsdPerMillion: 4,
          outputUsdPerMillion: 15,
          cachedInputUsdPerMillion: 0.2,
        },
        asOf: '2026-11-18',
      },
    })
  })

  it('knows the models of gpt-6', () => {
    const ids = [
      'gpt-6-astra',
      'gpt-6-luna',
      'gpt-6-sol',
      'gpt-6.1-sol',
      'gpt-6.1-terra',
      'gpt-6.2-astra',
      'gpt-6.2-sol',
    ]
    expect(ids.map((id) => modelInfo(id, true)?.price?.inputUsdPerMillion)).toEqual([10, 0.1, 2, 2, 1, 8, 2])
  })

  it('has no price for features that a model lacks', () => {
    expect(modelInfo('gpt-5.4', true)?.price).not.toHaveProperty('cacheWriteUsdPerMillion')
    const { price } = modelInfo('gpt-5.5-pro', true) ?? {}
    expect(price).not.toHaveProperty('cachedInputUsdPerMillion')
    expect(price?.longPrompt).toEqual({ aboveInputTokens: 272_000, inputUsdPerMillion: 60, outputUsdPerMillion: 270 })
  })

  it.each([
    ['gpt-4o-mini', 48_169],
    ['gpt-5.4', undefined],
    ['gpt-5.5', 12_000],
    ['gpt-5.6-terra', 36_000],
  ])('knows of %s what an image may count: %s', (id, imageTokens) => {
    expect(modelInfo(id, true)?.imageTokens).toBe(imageTokens)
  })

  it('knows a dated snapshot by the name of its model', () => {
    expect(modelInfo('gpt-5-mini-2025-08-07', true)).toEqual(modelInfo('gpt-5-mini', true))
  })

  it('does not take the first gpt-4o for the later ones', () => {
    expect(modelInfo('gpt-4o-2024-11-20', true)).toMatchObject({
      maxOutputTokens: 16_384,
      price: { inputUsdPerMillion: 2.5 },
    })
    expect(modelInfo('gpt-4o-2024-05-13', true)).toMatchObject({
      maxOutputTokens: 4096,
      price: { inputUsdPerMillion: 5, outputUsdPerMillion: 15 },
    })
  })

  it.each([
    ['brand-new', 'always'],
    ['gpt-3.5-turbo', 'never'],
    ['gpt-4', 'never'],
    ['gpt-4-turbo', 'never'],
    ['ft:gpt-4-0613:acme', 'never'],
  ])('knows of %s only whether it writes JSON to a schema: %s', (id, nativeOutput) => {
    expect(modelInfo(id, true)).toEqual({ nativeOutput })
  })
})

it('knows models of these names behind a gateway too, and nothing of others', () => {
  expect(modelInfo('gpt-5-mini', false)).toEqual(modelInfo('gpt-5-mini', true))
  expect(modelInfo('qwen3', false)).toBeUndefined()
})
