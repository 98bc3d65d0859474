import type { Model, ModelRequest, Price } from '../contracts/model.ts'
import { tokensOf, type Usage } from '../data/usage.ts'
import { limits } from '../limits.ts'
import { estimateRequest } from '../tokens/estimate-tokens.ts'
import type { Budget } from './budget.ts'
import { unpriced, worstCostOf } from './price.ts'

/** Whether the worst case of a call matters at all. */
export function isBounded({ budget }: Book): boolean {
  return budget.tokens !== undefined || budget.usd !== undefined
}

/** What a call needs at its worst, in tokens. */
export type Need = { inputTokens: number; wanted: number }

export function needOf(model: Model, request: ModelRequest, inputTokens: number): Need {
  const known = request.maxOutputTokens ?? model.info?.maxOutputTokens
  return { inputTokens, wanted: known ?? assumedAnswer(inputTokens, model) }
}

/** Of all figures of these books the one that allows the shortest answer. */
export function tightestOf(books: readonly Book[], needed: Need, model: Model, price: Price | undefined): Bound {
  const bounds = books.flatMap((book) => boundsOf(book, needed, model, price))
  return bounds.reduce((least, bound) => (bound.answerTokens < least.answerTokens ? bound : least))
}

/** Some servers refuse a request whose prompt and longest answer together pass the window. */
function assumedAnswer(inputTokens: number, { info }: Model): number {
  const beside = (info?.contextWindow ?? Number.POSITIVE_INFINITY) - inputTokens
  return Math.min(limits.assumedAnswerTokens, Math.max(limits.leastAnswerTokens, beside))
}

/** What one figure of a budget allows: an answer of so many tokens, below 0 when the prompt alone is too much. */
type Bound = { answerTokens: number; left: string; prompt: string }

function boundsOf(
  { budget, spent, aside }: Book,
  { inputTokens, wanted }: Need,
  model: Model,
  price: Price | undefined,
): Bound[] {
  const bounds: Bound[] = []
  if (budget.tokens !== undefined) {
    const left = budget.tokens - tokensOf(spent.usage) - aside.tokens
    bounds.push({
      answerTokens: Math.floor(left - inputTokens),
      left: `of ${budget.tokens} tokens ${Math.max(0, left)} are left`,
      prompt: String(inputTokens),
    })
  }
  if (budget.usd !== undefined) {
    if (!price) throw unpriced(model)
    const left = budget.usd - spent.usd - aside.usd
    const prompt = worstCostOf({ inputTokens, outputTokens: 0 }, price)
    bounds.push({
      answerTokens: affordable(left, inputTokens, wanted, price),
      left: `of ${budget.usd} US dollars ${Math.max(0, left).toFixed(6)} are left`,
      prompt: prompt.toFixed(6),
    })
  }
  return bounds
}

/** The longest answer up to what is wanted that costs no more at its worst, in tokens. */
function affordable(usd: number, inputTokens: number, wanted: number, price: Price): number {
  const cost = (outputTokens: number): number => worstCostOf({ inputTokens, outputTokens }, price)
  if (cost(wanted) <= usd) return wanted
  const most = Math.floor((usd - cost(0)) / (cost(1) - cost(0)))
  // Fractions of a cent are not exact.
  return cost(most) <= usd ? most : most - 1
}

/** What has been used up. `unpriced`: by a model, among others, whose price is not known. */
export type Spent = { usage: Usage; usd: number; unpriced: boolean; modelCalls: number; toolCalls: number; ms: number }

/** What one run has used and may use. */
export type Book = {
  budget: Budget
  spent: Spent
  aside: { tokens: number; usd: number }
  /** Told when a call that is under way is settled. */
  waiting: (() => void)[]
  clockFrom: number | undefined
}

/** At most how many tokens a prompt has, by what was told of earlier ones of the run. */
export type PromptGauge = {
  estimate(model: Model, request: ModelRequest): number
  /** What a model has told of a prompt. */
  learn(model: Model, request: ModelRequest, inputTokens: number): void
}

/**
 * By how much a model has told more than was estimated, it may tell more again: some count otherwise than anybody can
 * know. The estimate is not lowered by what was told, as some tell less than they were sent.
 */
export function promptGauge(): PromptGauge {
  const more = new Map<Model, number>()
  return {
    estimate: (model, request) => estimateRequest(request, model.info) + (more.get(model) ?? 0),
    learn(model, request, inputTokens) {
      const beyond = inputTokens - estimateRequest(request, model.info)
      if (beyond > (more.get(model) ?? 0)) more.set(model, beyond)
    },
  }
}
