import { checkOptions, isAmount, type OptionRules } from '../util/check-options.ts'

/** What a run may use up, together with all that it starts. What is absent is not bounded. */
export type Budget = {
  /** US dollars. */
  usd?: number
  /** Input and output together. */
  tokens?: number
  /** Model calls that begin, retries and summaries included. */
  modelCalls?: number
  /** Tool calls that begin. */
  toolCalls?: number
  /** From the run's start; the time that it waits for an approval does not count. */
  seconds?: number
}

const rules = {
  usd: isAmount,
  tokens: isAmount,
  modelCalls: isAmount,
  toolCalls: isAmount,
  seconds: isAmount,
} satisfies OptionRules<Budget>

export const budgetNames: readonly (keyof Budget)[] = Object.keys(rules) as (keyof Budget)[] // `satisfies` holds them alike

/** @throws AgentKitError `invalid-argument` for what is no budget */
export function checkBudget(budget: Budget): void {
  checkOptions(budget, rules, { of: 'budget', example: '{ usd: 0.5 }' })
}

/** A budget that another one tightens, and cannot loosen: of each figure the smaller one. */
export function tighten(budget: Budget, other: Budget): Budget {
  const tight: Budget = { ...budget }
  for (const name of budgetNames) {
    // A bound of Infinity is stored as null.
    const value = other[name] ?? Number.POSITIVE_INFINITY
    if (value < (budget[name] ?? Number.POSITIVE_INFINITY)) tight[name] = value
  }
  return tight
}
