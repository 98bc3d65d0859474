import type { Model, Price } from '../contracts/model.ts'
import type { Budget } from '../data/budget.ts'
import { type AgentKitError, invalidArgument, invalidConfig } from '../data/errors.ts'
import { isRecord } from '../data/message-problem.ts'
import type { Usage } from '../data/usage.ts'
import { checkOptions, isAmount, type OptionRule, type OptionRules } from '../util/options/check-options.ts'

/**
 * Prices by the model's id, `provider/model`; they override those of the provider packages.
 *
 * @example
 * const prices: Prices = { 'openai/my-model': { inputUsdPerMillion: 0.5, outputUsdPerMillion: 2 } }
 */
export type Prices = { readonly [modelId: string]: GivenPrice }

/** A price of the user, without the date on which it was read. */
export type GivenPrice = Omit<Price, 'asOf'> & { asOf?: string }

/** The cost of a call, in US dollars. A number that the usage does not have counts as 0. */
export function costOf(usage: Usage, price: GivenPrice): number {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens: cached = 0, cacheWriteTokens: written = 0 } = usage
  const prompt = Math.max(inputTokens, cached + written)
  const rates = isLong(prompt, price) ? longRates(price) : shortRates(price)
  const rest = prompt - cached - written
  return (rest * rates.input + cached * rates.cached + written * rates.write + outputTokens * rates.output) / 1e6
}

/**
 * The most that a call may cost, in US dollars: every token at the highest rate that may apply.
 * @param tokens upper bounds: the call may be shorter
 */
export function worstCostOf(tokens: { inputTokens: number; outputTokens: number }, price: GivenPrice): number {
  const { inputTokens, outputTokens } = tokens
  const tiers = isLong(inputTokens, price) ? [shortRates(price), longRates(price)] : [shortRates(price)]
  const input = Math.max(...tiers.flatMap(({ input, cached, write }) => [input, cached, write]))
  const output = Math.max(...tiers.map(({ output }) => output))
  return (inputTokens * input + outputTokens * output) / 1e6
}

/** @throws AgentKitError `invalid-argument` for invalid prices */
export function checkPrices(prices: Prices): void {
  if (!isRecord(prices))
    throw invalidArgument('`prices` is an object: { "provider/model": { inputUsdPerMillion, … } }.')
  for (const [modelId, price] of Object.entries(prices)) checkPrice(modelId, price)
}

/** @throws AgentKitError `invalid-argument` for an invalid price */
export function checkPrice(modelId: string, price: GivenPrice): void {
  if (!modelId.includes('/')) {
    throw invalidArgument(`\`prices\` go by "provider/model", such as "openai/${modelId}".`)
  }
  const of = `prices["${modelId}"]`
  checkOptions(price, priceRules, { of })
  checkRequired(price, of, ['inputUsdPerMillion', 'outputUsdPerMillion'])
  const { longPrompt } = price
  if (longPrompt === undefined) return
  checkOptions(longPrompt, longPromptRules, { of: `${of}.longPrompt` })
  checkRequired(longPrompt, `${of}.longPrompt`, ['aboveInputTokens', 'inputUsdPerMillion', 'outputUsdPerMillion'])
}

function checkRequired(given: Record<string, unknown>, of: string, names: readonly string[]): void {
  const missing = names.find((name) => given[name] === undefined)
  if (missing !== undefined) throw invalidArgument(`\`${of}\` needs \`${missing}\`.`)
}

const isFiniteAmount: OptionRule = {
  is: isAmount.is,
  holds: (value) => isAmount.holds(value) && Number.isFinite(value),
}

const priceRules = {
  inputUsdPerMillion: isFiniteAmount,
  outputUsdPerMillion: isFiniteAmount,
  cachedInputUsdPerMillion: isFiniteAmount,
  cacheWriteUsdPerMillion: isFiniteAmount,
  longPrompt: { is: 'an object', holds: isRecord },
  asOf: { is: 'a date such as "2026-01-31"', holds: (value) => !Number.isNaN(Date.parse(String(value))) },
} satisfies OptionRules<GivenPrice>

const longPromptRules = {
  aboveInputTokens: isFiniteAmount,
  inputUsdPerMillion: isFiniteAmount,
  outputUsdPerMillion: isFiniteAmount,
  cachedInputUsdPerMillion: isFiniteAmount,
} satisfies OptionRules<NonNullable<GivenPrice['longPrompt']>>

/** US dollars per million tokens. */
type Rates = { input: number; cached: number; write: number; output: number }

function isLong(inputTokens: number, { longPrompt }: GivenPrice): boolean {
  return longPrompt !== undefined && inputTokens > longPrompt.aboveInputTokens
}

function shortRates(price: GivenPrice): Rates {
  const { inputUsdPerMillion: input, outputUsdPerMillion: output } = price
  const { cachedInputUsdPerMillion: cached = input, cacheWriteUsdPerMillion: write = input } = price
  return { input, cached, write, output }
}

function longRates(price: GivenPrice): Rates {
  const short = shortRates(price)
  const { inputUsdPerMillion: input, outputUsdPerMillion: output, cachedInputUsdPerMillion } = price.longPrompt ?? price
  // The price of cache writes rises as that of input does.
  const write = short.input > 0 ? (short.write * input) / short.input : Math.max(short.write, input)
  return { input, cached: cachedInputUsdPerMillion ?? input, write, output }
}

/** The user's price of a model, otherwise the known one. */
export function priceOf(model: Model, prices: Prices): Price | undefined {
  const own = Object.hasOwn(prices, model.id) ? prices[model.id] : undefined
  return own ? { asOf: '', ...own } : model.info?.price
}

/**
 * @param known whether the models are loaded; otherwise those whose `info` is loaded later are skipped
 * @throws AgentKitError `invalid-config` when US dollars are bounded and the price of one of the models is not known
 */
export function checkPriced(models: readonly Model[], prices: Prices, { usd }: Budget, known = false): void {
  if (usd === undefined) return
  const model = models.find((model) => (known || !model.load) && !priceOf(model, prices))
  if (model) throw unpriced(model)
}

/** The error of a budget in US dollars for a model without a price. */
export function unpriced({ id }: Model): AgentKitError {
  return invalidConfig(
    `A budget in US dollars needs the price of "${id}", which is not known. Pass it: prices: { "${id}": ` +
      '{ inputUsdPerMillion: …, outputUsdPerMillion: … } }. Or bound `tokens` instead.',
  )
}
