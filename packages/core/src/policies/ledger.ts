import type { Model, ModelRequest, Price } from '../contracts/model.ts'
import { AgentKitError } from '../data/errors.ts'
import { addUsage, type Cost, tokensOf, type Usage } from '../data/usage.ts'
import { limits } from '../limits.ts'
import { type Budget, tighten } from './budget.ts'
import { costOf, type Prices, priceOf, worstCostOf } from './price.ts'
import { type Book, isBounded, needOf, type PromptGauge, promptGauge, type Spent, tightestOf } from './reserve.ts'

/** A model call whose worst case is set aside, from before it begins until it is settled. */
export type Reservation = {
  /** What the answer is bounded to, in tokens, where tokens or dollars are. */
  maxOutputTokens: number | undefined
  /** Whether that is less than was asked for. */
  lowered: boolean
  /** Books what the call has used; once. */
  settle(usage: Usage): void
}

/** What is stored of a run that waits: it goes on with what it had left. Plain JSON. */
export type Booked = { budget: Budget; spent: Spent }

/** The one book of a run and of all that it starts: what was used, what is set aside for calls under way, what is left. */
export interface Ledger {
  readonly spent: Spent
  /** `undefined` while nothing was asked, or where a price is not known. */
  readonly cost: Cost | undefined
  /**
   * Sets the worst case of a model call aside: its prompt, estimated on the high side, and its longest answer.
   * @throws AgentKitError `budget` when that does not fit, also with a shorter answer
   * @throws AgentKitError `invalid-config` when US dollars are bounded and the model's price is not known
   */
  reserve(model: Model, request: ModelRequest): Reservation
  /**
   * Resolves when a call that is under way is settled, where the answer could be longer then: mostly calls use far less
   * than what is set aside for them. Not to be waited for within such a call.
   * @returns `undefined` when there is nothing to wait for
   */
  freed(model: Model, request: ModelRequest): Promise<void> | undefined
  /** @throws AgentKitError `budget` when so many tool calls would pass it; then none of them may begin */
  beginToolCalls(count: number): void
  /** Milliseconds until the time is used up. */
  msLeft(): number
  /** Whether the clock is stopped. */
  readonly isPaused: boolean
  /** Stops the clock: a person is waited for. */
  pause(): Booked
  /** Starts it again; with what was booked, when the run goes on elsewhere. */
  resume(booked?: Booked): void
  /** Those that were given, to this run or to those that it belongs to. */
  readonly prices: Prices
  /** This run's own book, then those of the runs that it belongs to. */
  readonly books: readonly Book[]
}

type LedgerOptions = { budget: Budget; prices: Prices; parent?: Ledger | undefined }

/** @param options.parent the ledger of the run that starts this one: what this one uses counts there too */
export function createLedger({ budget, prices: given, parent }: LedgerOptions): Ledger {
  const spent: Spent = { usage: {}, usd: 0, unpriced: false, modelCalls: 0, toolCalls: 0, ms: 0 }
  const prices = parent ? { ...parent.prices, ...given } : given
  const own: Book = { budget, spent, aside: { tokens: 0, usd: 0 }, waiting: [], clockFrom: performance.now() }
  const books = parent ? [own, ...parent.books] : [own]
  const gauge = promptGauge()
  return {
    books,
    spent,
    prices,
    get cost() {
      const { usd, unpriced, modelCalls, usage } = spent
      if (unpriced || modelCalls === 0) return undefined
      return usage.estimated ? { usd, estimated: true } : { usd }
    },
    reserve(model, request) {
      const reservation = reserve(books, gauge, model, request, priceOf(model, prices))
      // Where nothing is bounded, nothing needs to be counted.
      if (!books.some(isBounded)) return reservation
      return {
        ...reservation,
        settle(usage) {
          if (usage.inputTokens !== undefined && !usage.estimated) gauge.learn(model, request, usage.inputTokens)
          reservation.settle(usage)
        },
      }
    },
    freed(model, request) {
      return isWorthWaiting(books, gauge, model, request, priceOf(model, prices)) ? settlement(books) : undefined
    },
    beginToolCalls(count) {
      for (const { budget, spent } of books) {
        if (spent.toolCalls + count > (budget.toolCalls ?? Number.POSITIVE_INFINITY)) {
          const more = count === 1 ? '1 more tool call' : `${count} more tool calls`
          throw passed(`${more} would pass its ${budget.toolCalls} tool calls`)
        }
      }
      for (const { spent } of books) spent.toolCalls += count
    },
    msLeft: () => Math.min(...books.map(msLeft)),
    get isPaused() {
      return own.clockFrom === undefined
    },
    pause() {
      own.spent.ms = elapsed(own)
      own.clockFrom = undefined
      return structuredClone({ budget: own.budget, spent })
    },
    resume(booked) {
      if (booked) own.budget = tighten(own.budget, booked.budget)
      if (booked) Object.assign(spent, booked.spent)
      own.clockFrom ??= performance.now()
    },
  }
}

/** The error of a run whose budget does not allow what would come next. */
export function passed(what: string): AgentKitError {
  return new AgentKitError('budget', `The run's budget is used up: ${what}.`)
}

function reserve(
  books: readonly Book[],
  gauge: PromptGauge,
  model: Model,
  request: ModelRequest,
  price: Price | undefined,
): Reservation {
  for (const book of books) checkCall(book)
  const bounded = books.filter(isBounded)
  if (bounded.length === 0) return begin(books, { tokens: 0, usd: 0 }, price)
  const needed = needOf(model, request, gauge.estimate(model, request))
  const { inputTokens, wanted } = needed
  const tightest = tightestOf(bounded, needed, model, price)
  const granted = Math.min(wanted, tightest.answerTokens)
  const least = Math.min(wanted, limits.leastAnswerTokens)
  if (granted < least) {
    const call = `the next call may take ${tightest.prompt} for its prompt alone, beside an answer of ${least} tokens`
    throw passed(`${tightest.left}, and ${call}`)
  }
  const usd = price ? worstCostOf({ inputTokens, outputTokens: granted }, price) : 0
  const reservation = begin(books, { tokens: inputTokens + granted, usd }, price)
  return { ...reservation, maxOutputTokens: granted, lowered: granted < wanted }
}

/** Whether the answer could be longer once the calls under way are settled. */
function isWorthWaiting(
  books: readonly Book[],
  gauge: PromptGauge,
  model: Model,
  request: ModelRequest,
  price: Price | undefined,
): boolean {
  const bounded = books.filter(isBounded)
  if (!bounded.some(({ aside }) => aside.tokens > 0)) return false
  const needed = needOf(model, request, gauge.estimate(model, request))
  const now = tightestOf(bounded, needed, model, price).answerTokens
  const free = bounded.map((book) => ({ ...book, aside: { tokens: 0, usd: 0 } }))
  return now < needed.wanted && now < tightestOf(free, needed, model, price).answerTokens
}

/** Resolves when a call that is under way is settled. */
function settlement(books: readonly Book[]): Promise<void> {
  return new Promise((resolve) => {
    for (const { waiting } of books) waiting.push(resolve)
  })
}

function checkCall(book: Book): void {
  const { budget, spent } = book
  if (spent.modelCalls + 1 > (budget.modelCalls ?? Number.POSITIVE_INFINITY)) {
    throw passed(`${spent.modelCalls} of ${budget.modelCalls} model calls were made`)
  }
  if (msLeft(book) <= 0) throw passed(`its ${budget.seconds} seconds are over`)
}

function begin(books: readonly Book[], share: Book['aside'], price: Price | undefined): Reservation {
  for (const { spent, aside } of books) {
    spent.modelCalls++
    aside.tokens += share.tokens
    aside.usd += share.usd
  }
  return {
    maxOutputTokens: undefined,
    lowered: false,
    settle(usage) {
      const usd = price ? costOf(usage, price) : 0
      for (const { spent, aside } of books) {
        aside.tokens -= share.tokens
        aside.usd -= share.usd
        spent.usage = addUsage(spent.usage, usage)
        spent.usd += usd
        if (!price && tokensOf(usage) > 0) spent.unpriced = true
      }
      for (const { waiting } of books) for (const wake of waiting.splice(0)) wake()
    },
  }
}

function elapsed({ spent, clockFrom }: Book): number {
  return spent.ms + (clockFrom === undefined ? 0 : performance.now() - clockFrom)
}

function msLeft(book: Book): number {
  return (book.budget.seconds ?? Number.POSITIVE_INFINITY) * 1000 - elapsed(book)
}
