import type { Budget } from '../data/budget.ts'
import { AgentKitError } from '../data/errors.ts'
import { addUsage, type Usage } from '../data/usage.ts'

/** What a run has used. */
export type Spent = {
  usage: Usage
  usd: number
  /** A model was called whose price is known. */
  priced?: boolean
  /** A model has used tokens whose price is not known. */
  unpriced: boolean
  modelCalls: number
  toolCalls: number
  ms: number
}

/** What one run may use, has used, and has reserved for its running calls. */
export type Account = {
  budget: Budget
  spent: Spent
  reserved: { tokens: number; usd: number }
  /** Called when a running call is settled. */
  waiting: (() => void)[]
  clockFrom: number | undefined
  /** How many running calls ask a person, which stops the clock. */
  holds?: number
}

/** Whether the budget bounds tokens or US dollars, so that calls need a reservation. */
export function isBounded({ budget }: Account): boolean {
  return budget.tokens !== undefined || budget.usd !== undefined
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

/** The milliseconds that it has used. */
export function elapsed({ spent, clockFrom }: Account): number {
  return spent.ms + (clockFrom === undefined ? 0 : performance.now() - clockFrom)
}

/** Milliseconds until its budget of seconds is used up. */
export function msLeft(account: Account): number {
  return (account.budget.seconds ?? Number.POSITIVE_INFINITY) * 1000 - elapsed(account)
}
