import type { Model, ModelRequest, Price } from '../contracts/model.ts'
import type { Budget } from '../data/budget.ts'
import { AgentKitError } from '../data/errors.ts'
import { addUsage, type Cost, costOfSpent, tokensOf, type Usage } from '../data/usage.ts'
import { limits } from '../limits.ts'
import { counted } from '../util/text/counted.ts'
import { tighten } from './budget.ts'
import { costOf, type Prices, priceOf, worstCostOf } from './price.ts'
import {
  type Account,
  isBounded,
  needOf,
  type PromptEstimator,
  promptEstimator,
  type Spent,
  tightestOf,
} from './reserve.ts'
import type { SharedBudget } from './tree-budget.ts'

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

/** The budget of a suspended run as it is stored: the resumed run has what was left. Plain JSON. */
export type BudgetSnapshot = { budget: Budget; spent: Spent }

/** The budget of a run and of all that it starts: what was used, what is reserved for running calls, what is left. */
export interface Ledger {
  readonly spent: Spent
  /** `undefined` before the first model call, and when a price is not known. */
  cost(): Cost | undefined
  /**
   * Reserves the worst case of a model call: its prompt, estimated on the high side, and its longest answer.
   * @throws AgentKitError `budget` when that does not fit, also with a shorter answer
   * @throws AgentKitError `invalid-config` when US dollars are bounded and the model's price is not known
   */
  reserve(model: Model, request: ModelRequest): Reservation
  /**
   * Resolves when a running call is settled, if that allows a longer answer: most calls use far less than is reserved
   * for them. Do not await it within a running call.
   * @returns `undefined` when there is nothing to wait for
   */
  freed(model: Model, request: ModelRequest): Promise<void> | undefined
  /** @throws AgentKitError `budget` when this many tool calls would exceed it; then none of them may begin */
  beginToolCalls(count: number): void
  /** Milliseconds until the budget of seconds is used up. */
  msLeft(): number
  /** Whether the clock is stopped. */
  isPaused(): boolean
  /** What was used so far; the clock continues. */
  snapshot(): BudgetSnapshot
  /** Stops the clock while the run waits for a person. */
  pause(): BudgetSnapshot
  /**
   * Stops the clocks of the run and of the runs around it while a running call asks a person.
   * @returns starts them again, once no call asks any more
   */
  hold(): () => void
  /** Adds what a member's run has used that has a ledger of its own. */
  collect(spent: Spent): void
  /** Starts the clock again; with a snapshot, when the run is resumed in another process. */
  resume(snapshot?: BudgetSnapshot): void
  /** The user's prices for this run and for the runs that it belongs to. */
  readonly prices: Prices
  /** This run's own account, then those of the runs that it belongs to. */
  readonly accounts: readonly Account[]
  /** Set where runs in other processes use some of these accounts too: calls are then reserved by `reserveShared`. */
  readonly shared?: SharedBudget | undefined
}

type LedgerOptions = { budget: Budget; prices: Prices; parent?: Ledger | undefined }

/** @param options.parent the ledger of the run that starts this one: what this one uses counts there too */
export function createLedger({ budget, prices: given, parent }: LedgerOptions): Ledger {
  const spent: Spent = { usage: {}, usd: 0, unpriced: false, modelCalls: 0, toolCalls: 0, ms: 0 }
  const prices = parent ? { ...parent.prices, ...given } : given
  const own: Account = { budget, spent, reserved: { tokens: 0, usd: 0 }, waiting: [], clockFrom: performance.now() }
  const accounts = parent ? [own, ...parent.accounts] : [own]
  const shared = parent?.shared
  if (shared) shared.own ??= own
  const prompts = promptEstimator()
  return {
    accounts,
    spent,
    prices,
    shared,
    cost: () => costOfSpent(spent),
    reserve(model, request) {
      const reservation = reserve(accounts, prompts, { model, request, price: priceOf(model, prices) })
      // Where nothing is bounded, nothing needs to be counted.
      if (!shared && !accounts.some(isBounded)) return reservation
      return {
        ...reservation,
        settle(usage) {
          if (usage.inputTokens !== undefined && !usage.estimated) prompts.learn(model, request, usage.inputTokens)
          reservation.settle(usage)
          shared?.publish()
        },
      }
    },
    freed(model, request) {
      const call = { model, request, price: priceOf(model, prices) }
      return isWorthWaiting(accounts, prompts, call) ? settlement(accounts) : undefined
    },
    beginToolCalls(count) {
      for (const { budget, spent } of accounts) {
        const { toolCalls = Number.POSITIVE_INFINITY } = budget
        if (spent.toolCalls + count > toolCalls) {
          throw budgetError(`${counted(count, 'more tool call')} would exceed its ${counted(toolCalls, 'tool call')}`)
        }
      }
      for (const { spent } of accounts) spent.toolCalls += count
    },
    msLeft: () => Math.min(...accounts.map(msLeft)),
    isPaused: () => own.clockFrom === undefined,
    snapshot() {
      return structuredClone({ budget: own.budget, spent: { ...spent, ms: elapsed(own) } })
    },
    pause() {
      own.spent.ms = elapsed(own)
      own.clockFrom = undefined
      return structuredClone({ budget: own.budget, spent })
    },
    hold() {
      // Other processes have the clocks of accounts that never run here.
      const held = accounts.filter(({ clockFrom, holds = 0 }) => clockFrom !== undefined || holds > 0)
      for (const account of held) {
        account.spent.ms = elapsed(account)
        account.clockFrom = undefined
        account.holds = (account.holds ?? 0) + 1
      }
      return () => {
        for (const account of held) {
          account.holds = (account.holds ?? 0) - 1
          if (account.holds === 0) account.clockFrom = performance.now()
        }
      }
    },
    collect(more) {
      for (const { spent } of accounts) addSpent(spent, more)
    },
    resume(snapshot) {
      if (snapshot) own.budget = tighten(own.budget, snapshot.budget)
      if (snapshot) Object.assign(spent, snapshot.spent)
      own.clockFrom ??= performance.now()
    },
  }
}

/** Adds what a member has used, but its time, which has passed for its caller as well. */
export function addSpent(spent: Spent, { usage, usd, priced, unpriced, modelCalls, toolCalls }: Spent): void {
  spent.usage = addUsage(spent.usage, usage)
  spent.usd += usd
  if (priced) spent.priced = true
  spent.unpriced ||= unpriced
  spent.modelCalls += modelCalls
  spent.toolCalls += toolCalls
}

/** The error of a run whose budget does not allow the next call. */
export function budgetError(what: string): AgentKitError {
  return new AgentKitError('budget', `The run's budget is used up: ${what}.`)
}

type PricedCall = { model: Model; request: ModelRequest; price: Price | undefined }

function reserve(
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
function isWorthWaiting(
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
function settlement(accounts: readonly Account[]): Promise<void> {
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

function elapsed({ spent, clockFrom }: Account): number {
  return spent.ms + (clockFrom === undefined ? 0 : performance.now() - clockFrom)
}

/** Milliseconds until its budget of seconds is used up. */
export function msLeft(account: Account): number {
  return (account.budget.seconds ?? Number.POSITIVE_INFINITY) * 1000 - elapsed(account)
}
