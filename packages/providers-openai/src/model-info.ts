import type { ModelInfo } from '@agentkit/core'

/**
 * What is known of a model on OpenAI's own server. Prices are given only where one price holds for every length of
 * the prompt; a model that is not listed is used all the same.
 */
export function modelInfo(id: string): ModelInfo {
  const nativeOutput = withoutNativeOutput.test(id) ? 'never' : 'always'
  const known = models.get(id) ?? models.get(id.replace(snapshotDate, ''))
  if (!known) return { nativeOutput }
  const [contextWindow, maxOutputTokens, prices] = known
  if (!prices) return { contextWindow, maxOutputTokens, nativeOutput }
  const [inputUsdPerMillion, outputUsdPerMillion, cachedInputUsdPerMillion] = prices
  const price = { inputUsdPerMillion, outputUsdPerMillion, cachedInputUsdPerMillion, asOf: pricesAsOf }
  return { contextWindow, maxOutputTokens, price, nativeOutput }
}

const snapshotDate = /-\d{4}-\d{2}-\d{2}$/
const withoutNativeOutput = /^gpt-(?:3|4$|4-)/
/** When the newest of the priced rows was last changed in the source; it gives no later date for any of them. */
const pricesAsOf = '2025-12-11'

/** Context window and longest answer in tokens; US dollars per million tokens of input, output and cached input. */
type Row = [number, number, [number, number, number]?]

/**
 * As the files of the models.dev catalogue (anomalyco/models.dev) have it: limits by `models/openai`, prices by
 * `providers/openai/models`. Models whose price goes by the length of the prompt, or may by their family, have none.
 */
const models: ReadonlyMap<string, Row> = new Map<string, Row>([
  ['gpt-5.6-terra', [1_050_000, 128_000]],
  ['gpt-5.6-luna', [1_050_000, 128_000]],
  ['gpt-5.5', [1_050_000, 128_000]],
  ['gpt-5.4', [1_050_000, 128_000]],
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
  ['gpt-4o-2024-05-13', [128_000, 4_096]],
  ['gpt-4o-mini', [128_000, 16_384, [0.15, 0.6, 0.075]]],
  ['o3', [200_000, 100_000, [2, 8, 0.5]]],
  ['o4-mini', [200_000, 100_000, [1.1, 4.4, 0.275]]],
])
