import { invalidArgument } from '../data/errors.ts'

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

const names = ['usd', 'tokens', 'modelCalls', 'toolCalls', 'seconds'] as const

/** @throws AgentKitError `invalid-argument` for what is no budget */
export function checkBudget(budget: Budget | undefined): void {
  if (budget === undefined) return
  if (typeof budget !== 'object' || budget === null)
    throw invalidArgument('`budget` is an object such as { usd: 0.5 }.')
  for (const [name, value] of Object.entries(budget)) {
    if (!names.some((known) => known === name)) {
      throw invalidArgument(`\`budget\` has no "${name}". There are: ${names.join(', ')}.`)
    }
    if (value !== undefined && !(typeof value === 'number' && value >= 0)) {
      throw invalidArgument(`\`budget.${name}\` is a number, 0 or more. Leave it out for no bound.`)
    }
  }
}

/** A budget that another one tightens, and cannot loosen: of each figure the smaller one. */
export function tighten(budget: Budget, other: Budget): Budget {
  const tight: Budget = { ...budget }
  for (const name of names) {
    // A bound of Infinity is stored as null.
    const value = other[name] ?? Number.POSITIVE_INFINITY
    if (value < (budget[name] ?? Number.POSITIVE_INFINITY)) tight[name] = value
  }
  return tight
}
