import type { Model, ModelRequest, Price } from '../contracts/model.ts'
import type { Budget } from '../data/budget.ts'
import { AgentKitError } from '../data/errors.ts'
import { addUsage, type Cost, costOfSpent, tokensOf, type Usage } from '../data/usage.ts'
import { limits } from '../limits.ts'
import { counted } from '../util/text/counted.ts'
import { tighten } from './budget.ts'
import { costOf, type Prices, priceOf, worstCostOf } from './price.ts'
import { type Account, isBounded, needOf, PromptEstimator, type Spent, tightestOf } from './reserve.ts'
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

/** What the ledger of a run needs of the run around it. */
export type LedgerAround = Pick<Ledger, 'prices' | 'accounts' | 'shared'>

type LedgerOptions = { budget: Budget; prices: Prices; parent?: LedgerAround | undefined }

export class RunLedger implements Ledger {
  readonly spent: Spent
  readonly prices: Prices
  readonly accounts: readonly Account[]
  readonly shared: SharedBudget | undefined
  readonly #own: Account
  readonly #prompts = new PromptEstimator()

  /** @param options.parent the ledger of the run that starts this one: what this one uses counts there too */
  constructor({ budget, prices, parent }: LedgerOptions) {
    this.spent = { usage: {}, usd: 0, unpriced: false, modelCalls: 0, toolCalls: 0, ms: 0 }
    this.prices = parent ? { ...parent.prices, ...prices } : prices
    const clockFrom = performance.now()
    this.#own = { budget, spent: this.spent, reserved: { tokens: 0, usd: 0 }, waiting: [], clockFrom }
    this.accounts = parent ? [this.#own, ...parent.accounts] : [this.#own]
    this.shared = parent?.shared
    if (this.shared) this.shared.own ??= this.#own
  }

  cost(): Cost | undefined {
    return costOfSpent(this.spent)
  }

  reserve(model: Model, request: ModelRequest): Reservation {
    const reservation = reserve(this.accounts, this.#prompts, { model, request, price: priceOf(model, this.prices) })
    // Where nothing is bounded, nothing needs to be counted.
    if (!this.shared && !this.accounts.some(isBounded)) return reservation
    return {
      ...reservation,
      settle: (usage) => {
        if (usage.inputTokens !== undefined && !usage.estimated) this.#prompts.learn(model, request, usage.inputTokens)
        reservation.settle(usage)
        this.shared?.publish()
      },
    }
  }

  freed(model: Model, request: ModelRequest): Promise<void> | undefined {
    const call = { model, request, price: priceOf(model, this.prices) }
    return isWorthWaiting(this.accounts, this.#prompts, call) ? settlement(this.accounts) : undefined
  }

  beginToolCalls(count: number): void {
    for (const { budget, spent } of this.accounts) {
      const { toolCalls = Number.POSITIVE_INFINITY } = budget
      if (spent.toolCalls + count > toolCalls) {
        throw budgetError(`${counted(count, 'more tool call')} would exceed its ${counted(toolCalls, 'tool call')}`)
      }
    }
    for (const { spent } of this.accounts) spent.toolCalls += count
  }

  msLeft(): number {
    return Math.min(...this.accounts.map(msLeft))
  }

  isPaused(): boolean {
    return this.#own.clockFrom === undefined
  }

  snapshot(): BudgetSnapshot {
    return structuredClone({ budget: this.#own.budget, spent: { ...this.spent, ms: elapsed(this.#own) } })
  }

  pause(): BudgetSnapshot {
    this.spent.ms = elapsed(this.#own)
    this.#own.clockFrom = undefined
    return structuredClone({ budget: this.#own.budget, spent: this.spent })
  }

  hold(): () => void {
    // Other processes have the clocks of accounts that never run here.
    const held = this.accounts.filter(({ clockFrom, holds = 0 }) => clockFrom !== undefined || holds > 0)
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
  }

  collect(more: Spent): void {
    for (const { spent } of this.accounts) addSpent(spent, more)
  }

  resume(snapshot?: BudgetSnapshot): void {
    if (snapshot) this.#own.budget = tighten(this.#own.budget, snapshot.budget)
    if (snapshot) Object.assign(this.spent, snapshot.spent)
    this.#own.clockFrom ??= performance.now()
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
