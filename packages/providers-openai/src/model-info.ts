import type { ModelInfo, Price } from '@agentkit/core'

/**
 * What is known of a model. One that is not listed is used all the same.
 * @param official whether OpenAI's own server is asked; of another one's only models of OpenAI's names are known
 */
export function modelInfo(id: string, official: boolean): ModelInfo | undefined {
  const nativeOutput = withoutNativeOutput.test(id) ? 'never' : 'always'
  const row = models.get(id) ?? models.get(id.replace(snapshotDate, ''))
  if (!row) return official ? { nativeOutput } : undefined
  const [contextWindow, maxOutputTokens, rates, { imageTokens, ...terms } = {}] = row
  const info: ModelInfo = { contextWindow, maxOutputTokens, price: priceOf(rates, terms), nativeOutput }
  if (imageTokens !== undefined) info.imageTokens = imageTokens
  return info
}

const snapshotDate = /-\d{4}-\d{2}-\d{2}$/
const withoutNativeOutput = /^gpt-(?:3|4$|4-)/

type Row = [contextWindow: number, maxOutputTokens: number, rates: Rates, extras?: Extras]
/** In US dollars per million tokens. */
type Rates = [input: number, output: number, cachedInput?: number]
type Extras = Terms & { imageTokens?: number }
type Terms = {
  /** A prompt of more than 272,000 tokens doubles the price of input, and makes output dearer by half. */
  longPrompt?: true
  /** Writing to the cache costs a quarter more than input. */
  cacheWrites?: true
  asOf?: string
}

function priceOf([input, output, cachedInput]: Rates, { longPrompt, cacheWrites, asOf = pricesAsOf }: Terms): Price {
  const price: Price = { inputUsdPerMillion: input, outputUsdPerMillion: output, asOf }
  if (cachedInput !== undefined) price.cachedInputUsdPerMillion = cachedInput
  if (cacheWrites) price.cacheWriteUsdPerMillion = input * 1.25
  if (longPrompt) {
    price.longPrompt = { aboveInputTokens: 272_000, inputUsdPerMillion: input * 2, outputUsdPerMillion: output * 1.5 }
    if (cachedInput !== undefined) price.longPrompt.cachedInputUsdPerMillion = cachedInput * 2
  }
  return price
}

/** The date of the source, but for the rows that have their own. */
const pricesAsOf = '2026-09-23'

// An image is taken in up to 10,000 patches, by later models in up to 30,000; a patch counts 1.2 tokens.
const since5_4: Extras = { longPrompt: true }
const since5_5: Extras = { ...since5_4, imageTokens: 12_000 }
const since5_6: Extras = { ...since5_4, cacheWrites: true, imageTokens: 36_000 }

/**
 * Limits are those of the models.dev catalogue (anomalyco/models.dev, `models/openai`), and prices those of
 * @pydantic/genai-prices 0.1.8. Rows with a date of their own are newer than both, and as OpenAI announced them at
 * developers.openai.com/api/docs/models. What images count is in OpenAI's guide "Images and vision", but for the 1.2
 * tokens of a patch, which is what developers have measured.
 */
const models: ReadonlyMap<string, Row> = new Map<string, Row>([
  ['gpt-6.2-astra', [1_050_000, 128_000, [8, 40, 0.4], { ...since5_6, asOf: '2026-11-18' }]],
  ['gpt-6.2-sol', [1_050_000, 128_000, [2, 10, 0.1], { ...since5_6, asOf: '2026-11-18' }]],
  ['gpt-6.1-sol', [1_050_000, 128_000, [2, 10, 0.1], { ...since5_6, asOf: '2026-09-30' }]],
  ['gpt-6-astra', [1_050_000, 128_000, [10, 50, 1], since5_6]],
  ['gpt-6-sol', [1_050_000, 128_000, [2, 10, 0.2], since5_6]],
  ['gpt-6-luna', [1_050_000, 128_000, [0.1, 0.5, 0.01], since5_6]],
  // OpenAI calls the price of Sol promotional.
  ['gpt-5.6', [1_050_000, 128_000, [4, 20, 0.4], since5_6]],
  ['gpt-5.6-sol', [1_050_000, 128_000, [4, 20, 0.4], since5_6]],
  ['gpt-5.6-terra', [1_050_000, 128_000, [2, 12, 0.2], since5_6]],
  ['gpt-5.6-luna', [1_050_000, 128_000, [0.2, 1.2, 0.02], since5_6]],
  ['gpt-5.5', [1_050_000, 128_000, [5, 30, 0.5], since5_5]],
  ['gpt-5.5-pro', [1_050_000, 128_000, [30, 180], since5_5]],
  ['gpt-5.4', [1_050_000, 128_000, [2.5, 15, 0.25], since5_4]],
  ['gpt-5.4-pro', [1_050_000, 128_000, [30, 180], since5_4]],
  ['gpt-5.4-mini', [400_000, 128_000, [0.75, 4.5, 0.075]]],
  ['gpt-5.4-nano', [400_000, 128_000, [0.2, 1.25, 0.02]]],
  ['gpt-5.3-codex', [400_000, 128_000, [1.75, 14, 0.175]]],
  ['gpt-5.2', [400_000, 128_000, [1.75, 14, 0.175]]],
  ['gpt-5.1', [400_000, 128_000, [1.25, 10, 0.125]]],
  ['gpt-5', [400_000, 128_000, [1.25, 10, 0.125]]],
  ['gpt-5-mini', [400_000, 128_000, [0.25, 2, 0.025]]],
  ['gpt-5-nano', [400_000, 128_000, [0.05, 0.4, 0.005]]],
  ['gpt-4.1', [1_047_576, 32_768, [2, 8, 0.5]]],
  ['gpt-4.1-mini', [1_047_576, 32_768, [0.4, 1.6, 0.1]]],
  ['gpt-4.1-nano', [1_047_576, 32_768, [0.1, 0.4, 0.025]]],
  ['gpt-4o', [128_000, 16_384, [2.5, 10, 1.25]]],
  // The first one was another model: a shorter answer, at twice the price.
  ['gpt-4o-2024-05-13', [128_000, 4_096, [5, 15]]],
  // 2,833 for an image, and 5,667 for each of up to 8 tiles.
  ['gpt-4o-mini', [128_000, 16_384, [0.15, 0.6, 0.075], { imageTokens: 48_169 }]],
  ['o3', [200_000, 100_000, [2, 8, 0.5]]],
  ['o4-mini', [200_000, 100_000, [1.1, 4.4, 0.275]]],
])
