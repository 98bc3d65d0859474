import type { ModelInfo, Price } from '@agentkit/core'

/** A row of a dated table of models. Absent fields are unknown; a model without a row works too. */
export type ModelFacts = {
  /** In tokens, prompt and answer together. */
  contextWindow?: number
  maxOutputTokens?: number
  /** US dollars per million tokens: input, output, and with a cache, reading from it and writing to it. */
  usdPerMillion?: number[]
  /** The prices of a whole call whose prompt is longer. */
  longPrompt?: { aboveInputTokens: number; usdPerMillion: number[] }
  /** The media that it reads: `image`, `pdf`. */
  reads?: string[]
  /** Most tokens of one image. */
  imageTokens?: number
  /** ISO date of its price, if newer than the table's. */
  asOf?: string
  tools?: boolean
  reasoning?: boolean
  /** Whether it takes sampling parameters. */
  temperature?: boolean
}

/** A package's `models.json`. */
export type ModelTable = {
  source: string
  /** ISO date of the source. */
  asOf: string
  models: Readonly<Record<string, ModelFacts>>
}

/** The row of a model, by its id, or by the id without the date of its snapshot. */
export function modelFacts(id: string, { models }: ModelTable): ModelFacts | undefined {
  const name = [id, id.replace(snapshot, '')].find((name) => Object.hasOwn(models, name))
  return name === undefined ? undefined : models[name]
}

const snapshot = /[-@](?:\d{4}-?\d{2}-?\d{2}|latest)$/

/** The facts that core uses for limits, warnings and budgets. */
export function modelInfoOf(facts: ModelFacts | undefined, table: Pick<ModelTable, 'asOf'>): ModelInfo {
  const info: ModelInfo = {}
  const asOf = facts?.asOf ?? table.asOf
  if (facts?.contextWindow !== undefined) info.contextWindow = facts.contextWindow
  if (facts?.maxOutputTokens !== undefined) info.maxOutputTokens = facts.maxOutputTokens
  if (facts?.imageTokens !== undefined) info.imageTokens = facts.imageTokens
  const price = priceOf(facts?.usdPerMillion, asOf)
  const longPrice = priceOf(facts?.longPrompt?.usdPerMillion, asOf)
  if (price) info.price = price
  if (price && facts?.longPrompt && longPrice) {
    // The price of cache writes rises with the price of input: see Price.
    const { asOf: _asOf, cacheWriteUsdPerMillion: _cacheWrite, ...rates } = longPrice
    price.longPrompt = { aboveInputTokens: facts.longPrompt.aboveInputTokens, ...rates }
  }
  return info
}

function priceOf([input, output, cachedInput, cacheWrite]: number[] = [], asOf: string): Price | undefined {
  if (input === undefined || output === undefined) return undefined
  const price: Price = { inputUsdPerMillion: input, outputUsdPerMillion: output, asOf }
  if (cachedInput !== undefined) price.cachedInputUsdPerMillion = cachedInput
  if (cacheWrite !== undefined) price.cacheWriteUsdPerMillion = cacheWrite
  return price
}
