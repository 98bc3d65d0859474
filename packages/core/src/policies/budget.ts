import type { Budget } from '../data/budget.ts'
import { checkOptions, isAmount, type OptionRules } from '../util/options/check-options.ts'

const rules = {
  usd: isAmount,
  tokens: isAmount,
  modelCalls: isAmount,
  toolCalls: isAmount,
  seconds: isAmount,
} satisfies OptionRules<Budget>

export const budgetNames: readonly (keyof Budget)[] = Object.keys(rules) as (keyof Budget)[] // all keys, by `satisfies`

/** @throws AgentKitError `invalid-argument` for an invalid budget */
export function checkBudget(budget: Budget): void {
  checkOptions(budget, rules, { of: 'budget', example: '{ usd: 0.5 }' })
}

/** Combines two budgets: of each figure the smaller one. */
export function tighten(budget: Budget, other: Budget): Budget {
  const tight: Budget = { ...budget }
  for (const name of budgetNames) {
    // JSON stores an infinite limit as null.
    const value = other[name] ?? Number.POSITIVE_INFINITY
    if (value < (budget[name] ?? Number.POSITIVE_INFINITY)) tight[name] = value
  }
  return tight
}
