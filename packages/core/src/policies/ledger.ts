import type { Model, ModelRequest } from '../contracts/model.ts'
import type { Budget } from '../data/budget.ts'
import { type Cost, costOfSpent } from '../data/usage.ts'
import { counted } from '../util/text/counted.ts'
import { type Account, addSpent, budgetError, elapsed, isBounded, msLeft, type Spent } from './account.ts'
import { tighten } from './budget.ts'
import { PromptEstimator } from './call-need.ts'
import { type Prices, priceOf } from './price.ts'
import { isWorthWaiting, type Reservation, reserve, settlement } from './reservation.ts'
import type { SharedBudget } from './tree-budget.ts'

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

/** Stops the clock of a run that waits for others of its session: that is no working time. @returns starts it again */
export function stopClock(ledger: Pick<Ledger, 'pause' | 'resume'>): () => void {
  ledger.pause()
  return () => ledger.resume()
}
