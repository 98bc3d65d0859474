import type { Model, ModelRequest, Price } from '../contracts/model.ts'
import { tokensOf } from '../data/usage.ts'
import { limits } from '../limits.ts'
import { estimateRequest } from '../tokens/estimate-tokens.ts'
import type { Account } from './account.ts'
import { unpriced, worstCostOf } from './price.ts'

/** What a call needs at its worst, in tokens. */
export type Need = { inputTokens: number; wanted: number }

export function needOf(model: Model, request: ModelRequest, inputTokens: number): Need {
  const known = request.maxOutputTokens ?? model.info?.maxOutputTokens
  return { inputTokens, wanted: known ?? assumedAnswer(inputTokens, model) }
}

/** Of all bounds of these accounts the one that allows the shortest answer. */
export function tightestOf(accounts: readonly Account[], needed: Need, model: Model, price: Price | undefined): Bound {
  const bounds = accounts.flatMap((account) => boundsOf(account, needed, model, price))
  return bounds.reduce((least, bound) => (bound.answerTokens < least.answerTokens ? bound : least))
}

/** Some servers reject a request whose prompt and longest answer together exceed the context window. */
function assumedAnswer(inputTokens: number, { info }: Model): number {
  const room = (info?.contextWindow ?? Number.POSITIVE_INFINITY) - inputTokens
  return Math.min(limits.assumedAnswerTokens, Math.max(limits.leastAnswerTokens, room))
}

/** The answer that one figure of a budget allows, in tokens: negative when the prompt alone exceeds it. */
type Bound = { answerTokens: number; left: string; prompt: string }

function boundsOf(
  { budget, spent, reserved }: Account,
  { inputTokens, wanted }: Need,
  model: Model,
  price: Price | undefined,
): Bound[] {
  const bounds: Bound[] = []
  if (budget.tokens !== undefined) {
    const left = budget.tokens - tokensOf(spent.usage) - reserved.tokens
    bounds.push({
      answerTokens: Math.floor(left - inputTokens),
      left: `of ${budget.tokens} tokens ${Math.max(0, left)} are left`,
      prompt: String(inputTokens),
    })
  }
  if (budget.usd !== undefined) {
    if (!price) throw unpriced(model)
    const left = budget.usd - spent.usd - reserved.usd
    const prompt = worstCostOf({ inputTokens, outputTokens: 0 }, price)
    bounds.push({
      answerTokens: affordable(left, inputTokens, wanted, price),
      left: `of ${budget.usd} US dollars ${Math.max(0, left).toFixed(6)} are left`,
      prompt: prompt.toFixed(6),
    })
  }
  return bounds
}

/** The longest answer, up to the wanted one, whose worst case costs no more than `usd`; in tokens. */
function affordable(usd: number, inputTokens: number, wanted: number, price: Price): number {
  const cost = (outputTokens: number): number => worstCostOf({ inputTokens, outputTokens }, price)
  if (cost(wanted) <= usd) return wanted
  const most = Math.floor((usd - cost(0)) / (cost(1) - cost(0)))
  // Floating-point fractions are not exact.
  return cost(most) <= usd ? most : most - 1
}

/**
 * Upper estimates of the tokens of prompts, corrected by what the models of this run have reported: the most by which a
 * model's number has exceeded an estimate is added to each, as some models count in unknown ways. A lower number does not
 * lower the estimate, as some models report less than they were sent.
 */
export class PromptEstimator {
  #excess: Map<Model, number> | undefined

  estimate(model: Model, request: ModelRequest): number {
    return estimateRequest(request, model.info) + (this.#excess?.get(model) ?? 0)
  }

  /** Compares the estimate with the number that the model has reported. */
  learn(model: Model, request: ModelRequest, inputTokens: number): void {
    const beyond = inputTokens - estimateRequest(request, model.info)
    if (beyond <= (this.#excess?.get(model) ?? 0)) return
    this.#excess ??= new Map()
    this.#excess.set(model, beyond)
  }
}
