import type { RunStore, UsageRow } from '@agentkit/core'
import { type SummedRow, toUsageRow } from '../../util/usage-rows.ts'
import type { Statements } from '../statements/statements.ts'

/** The usage of runs, summed by day, model or session. */
export function readUsage(
  statements: Statements,
  ...[{ agentId, userId }, { by, from = 0, to, runs, limit }]: Parameters<NonNullable<RunStore['usage']>>
): UsageRow[] | undefined {
  const range = { agentId, from, to: to ?? Number.MAX_SAFE_INTEGER, ...(userId !== undefined && { userId }) }
  const of = userId === undefined ? '' : 'OfUser'
  const counted = statements[`countUsage${of}`].get({ ...range, limit: runs + 1 })?.count as number
  if (counted > runs) return undefined
  const name = ({ day: 'usageByDay', model: 'usageByModel', session: 'usageBySession' } as const)[by]
  return (statements[`${name}${of}`].all({ ...range, limit }) as SummedRow[]).map(toUsageRow)
}
