import type { Budget } from '../data/budget.ts'
import type { AgentEventBody } from '../data/event.ts'
import { budgetNames } from '../policies/budget.ts'
import type { Ledger } from '../policies/ledger.ts'

/** The event with which a segment of a run begins: it names the limits of its budget. */
export function runStartOf({ accounts }: Pick<Ledger, 'accounts'>, sessionId: string | undefined): AgentEventBody {
  const given = accounts[0]?.budget ?? {}
  const budget: Budget = {}
  for (const name of budgetNames) {
    const limit = given[name]
    // An infinite limit is no limit, and JSON has no number for it.
    if (limit !== undefined && Number.isFinite(limit)) budget[name] = limit
  }
  const hasLimits = Object.keys(budget).length > 0
  return { type: 'run-start', ...(sessionId !== undefined && { sessionId }), ...(hasLimits && { budget }) }
}
