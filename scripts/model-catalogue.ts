import type { ModelFacts } from '../packages/wire/src/provider/model-facts.ts'

/** A model of a catalogue. */
export type CatalogueModel = { id: string; facts: ModelFacts; writesText: boolean; retired: boolean }

/** The fields that are read. */
type ModelsDevModel = {
  id: string
  tool_call?: boolean
  reasoning?: boolean
  temperature?: boolean
  status?: string
  retirement_date?: string
  limit?: { context?: number; output?: number }
  modalities?: { input?: string[]; output?: string[] }
  cost?: ModelsDevRates & {
    tiers?: (ModelsDevRates & { tier?: { size?: number } })[]
    context_over_200k?: ModelsDevRates
  }
}
type ModelsDevRates = { input?: number; output?: number; cache_read?: number; cache_write?: number }

/** One provider of models.dev's `api.json`. */
export function readCatalogue(provider: string, catalogue: unknown, today: string): CatalogueModel[] {
  // The catalogue is external; missing fields are omitted.
  const { models } = (catalogue as Record<string, { models?: Record<string, ModelsDevModel> }>)[provider] ?? {}
  if (!models) throw new Error(`The catalogue has no provider "${provider}".`)
  return Object.values(models).map((model) => {
    const { id, limit, cost, modalities, status, retirement_date } = model
    const [tier] = cost?.tiers ?? []
    const above = tier?.tier?.size ?? 200_000
    const facts = toFacts({
      contextWindow: limit?.context,
      maxOutputTokens: limit?.output,
      rates: ratesOf(cost),
      longPrompt: { aboveInputTokens: above, rates: ratesOf(tier ?? cost?.context_over_200k) },
      reads: modalities?.input ?? [],
      tools: model.tool_call,
      reasoning: model.reasoning,
      temperature: model.temperature,
    })
    const retired = status === 'deprecated' || (retirement_date !== undefined && retirement_date <= today)
    return { id, facts, writesText: modalities?.output?.includes('text') ?? true, retired }
  })
}

function ratesOf({ input, output, cache_read, cache_write }: ModelsDevRates = {}): Rates {
  return [input, output, cache_read, cache_write]
}

/** The fields that are read: models that chat and call tools, grouped by wire. Zero also means unknown. */
type PiModel = {
  id: string
  type: string
  reasoning?: boolean
  input: string[]
  contextWindow?: number
  maxTokens?: number
  cost: PiRates & { tiers?: (PiRates & { inputTokensAbove: number })[] }
}
type PiRates = { input: number; output: number; cacheRead?: number; cacheWrite?: number }

/** One provider of @earendil-works/pi-ai, a digest of models.dev. `leftOut` has the facts that it omits. */
export function readPiCatalogue(provider: string, groups: unknown): CatalogueModel[] {
  const models = Object.values(groups as Record<string, Record<string, PiModel>>).flatMap((group) =>
    Object.values(group).filter(({ type }) => type === 'chat'),
  )
  const { readsPdf, temperature } = leftOut[provider] ?? {}
  return models.map(({ id, input, cost, contextWindow, maxTokens, reasoning }) => {
    const [tier] = cost.tiers ?? []
    const facts = toFacts({
      contextWindow,
      maxOutputTokens: maxTokens,
      rates: piRates(cost),
      longPrompt: { aboveInputTokens: tier?.inputTokensAbove ?? 0, rates: tier ? piRates(tier) : [] },
      reads: input.includes('image') && readsPdf?.test(id) ? [...input, 'pdf'] : input,
      tools: true,
      reasoning,
      temperature: temperature?.(id),
    })
    return { id, facts, writesText: true, retired: false }
  })
}

function piRates({ input, output, cacheRead, cacheWrite }: PiRates): Rates {
  return [input, output, cacheRead || undefined, cacheWrite || undefined]
}

/** The facts are the ones of models.dev. */
const leftOut: Readonly<Record<string, { readsPdf?: RegExp; temperature?(id: string): boolean }>> = {
  // Opus 4.7, the fifth generation and later have no sampling parameters.
  anthropic: { readsPdf: /^claude-/, temperature: (id) => /^claude-(?:3|[a-z]+-4-[0-6])/.test(id) },
  google: { readsPdf: /^gemini-/ },
  azure: { readsPdf: /^(?:gpt-|o\d)/ },
}

type Rates = (number | undefined)[]
type CatalogueEntry = {
  contextWindow: number | undefined
  maxOutputTokens: number | undefined
  rates: Rates
  longPrompt: { aboveInputTokens: number; rates: Rates }
  reads: readonly string[]
  tools: boolean | undefined
  reasoning: boolean | undefined
  temperature: boolean | undefined
}

/** The order of fields in the file; unknown ones are absent. */
function toFacts(entry: CatalogueEntry): ModelFacts {
  const { contextWindow, maxOutputTokens, rates, longPrompt, reads, tools, reasoning, temperature } = entry
  const usdPerMillion = knownRates(rates)
  const long = knownRates(longPrompt.rates)
  return {
    ...(contextWindow && { contextWindow }),
    // The catalogue has some longest answers that exceed the window.
    ...(maxOutputTokens && { maxOutputTokens: Math.min(maxOutputTokens, contextWindow ?? maxOutputTokens) }),
    ...(usdPerMillion && { usdPerMillion }),
    ...(long && { longPrompt: { aboveInputTokens: longPrompt.aboveInputTokens, usdPerMillion: long } }),
    reads: reads.filter((kind) => kind === 'image' || kind === 'pdf'),
    ...(tools !== undefined && { tools }),
    ...(reasoning !== undefined && { reasoning }),
    ...(temperature !== undefined && { temperature }),
  }
}

/** Input and output, then cache prices as far as they are known without a gap. */
function knownRates(rates: Rates): number[] | undefined {
  const gap = rates.indexOf(undefined)
  const known = rates.slice(0, gap === -1 ? rates.length : gap).filter((rate) => rate !== undefined)
  return known.length < 2 ? undefined : known
}
