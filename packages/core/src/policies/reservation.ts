import type { Model, ModelRequest, Price } from '../contracts/model.ts'
import { addUsage, tokensOf, type Usage } from '../data/usage.ts'
import { limits } from '../limits.ts'
import { counted } from '../util/text/counted.ts'
import { type Account, budgetError, isBounded, msLeft } from './account.ts'
import { needOf, type PromptEstimator, tightestOf } from './call-need.ts'
import { costOf, worstCostOf } from './price.ts'

/** The worst case of a model call, reserved from before it begins until it is settled. */
export type Reservation = {
  /** The longest answer that the budget allows, in tokens; `undefined` where neither tokens nor dollars are bounded. */
  maxOutputTokens: number | undefined
  /** Whether that is less than the request asks for. */
  lowered: boolean
  /** Records what the call has used; called once. */
  settle(usage: Usage): void
  /** Takes the reservation back, instead of `settle`: the call was not made. */
  cancel(): void
}

/** A call, with the price of its model where that is known. */
export type PricedCall = { model: Model; request: ModelRequest; price: Price | undefined }

/**
 * Reserves the worst case of a call in these accounts.
 * @throws AgentKitError `budget` when that does not fit, also with a shorter answer
 */
export function reserve(
  accounts: readonly Account[],
  prompts: PromptEstimator,
  { model, request, price }: PricedCall,
): Reservation {
  for (const account of accounts) checkCall(account)
  const bounded = accounts.filter(isBounded)
  if (bounded.length === 0) return begin(accounts, { tokens: 0, usd: 0 }, price)
  const needed = needOf(model, request, prompts.estimate(model, request))
  const { inputTokens, wanted } = needed
  const tightest = tightestOf(bounded, needed, model, price)
  const granted = Math.min(wanted, tightest.answerTokens)
  const least = Math.min(wanted, limits.leastAnswerTokens)
  if (granted < least) {
    const call = `the next call may take ${tightest.prompt} for its prompt alone, beside an answer of ${least} tokens`
    throw budgetError(`${tightest.left}, and ${call}`)
  }
  const usd = price ? worstCostOf({ inputTokens, outputTokens: granted }, price) : 0
  const reservation = begin(accounts, { tokens: inputTokens + granted, usd }, price)
  return { ...reservation, maxOutputTokens: granted, lowered: granted < wanted }
}

/** Whether the answer could be longer once the running calls are settled. */
export function isWorthWaiting(
  accounts: readonly Account[],
  prompts: PromptEstimator,
  { model, request, price }: PricedCall,
): boolean {
  const bounded = accounts.filter(isBounded)
  if (!bounded.some(({ reserved }) => reserved.tokens > 0)) return false
  const needed = needOf(model, request, prompts.estimate(model, request))
  const now = tightestOf(bounded, needed, model, price).answerTokens
  const free = bounded.map((account) => ({ ...account, reserved: { tokens: 0, usd: 0 } }))
  return now < needed.wanted && now < tightestOf(free, needed, model, price).answerTokens
}

/** Resolves when a running call is settled. */
export function settlement(accounts: readonly Account[]): Promise<void> {
  return new Promise((resolve) => {
    for (const { waiting } of accounts) waiting.push(resolve)
  })
}

function checkCall(account: Account): void {
  const { budget, spent } = account
  const { modelCalls = Number.POSITIVE_INFINITY, seconds = Number.POSITIVE_INFINITY } = budget
  if (spent.modelCalls + 1 > modelCalls) {
    const were = modelCalls === 1 ? 'was' : 'were'
    throw budgetError(`${spent.modelCalls} of ${counted(modelCalls, 'model call')} ${were} made`)
  }
  if (msLeft(account) <= 0) throw budgetError(`its ${counted(seconds, 'second')} ${seconds === 1 ? 'is' : 'are'} over`)
}

function begin(accounts: readonly Account[], share: Account['reserved'], price: Price | undefined): Reservation {
  for (const { spent, reserved } of accounts) {
    spent.modelCalls++
    reserved.tokens += share.tokens
    reserved.usd += share.usd
  }
  return {
    maxOutputTokens: undefined,
    lowered: false,
    settle(usage) {
      const usd = price ? costOf(usage, price) : 0
      for (const { spent, reserved } of accounts) {
        reserved.tokens -= share.tokens
        reserved.usd -= share.usd
        spent.usage = addUsage(spent.usage, usage)
        spent.usd += usd
        if (price) spent.priced = true
        else if (tokensOf(usage) > 0) spent.unpriced = true
      }
      for (const { waiting } of accounts) for (const wake of waiting.splice(0)) wake()
    },
    cancel() {
      for (const { spent, reserved } of accounts) {
        spent.modelCalls--
        reserved.tokens -= share.tokens
        reserved.usd -= share.usd
      }
      for (const { waiting } of accounts) for (const wake of waiting.splice(0)) wake()
    },
  }
}
