import type { RunStore, UsageRow } from '@agentkit/core'
import { type SummedRow, toUsageRow } from '../../util/usage-rows.ts'
import type { Statements } from '../statements/statements.ts'

/** The usage of runs, summed by day, model or session. */
export function readUsage(
  statements: Statements,
  ...[{ agentId, userId }, { by, from = 0, to, runs, limit }]: Parameters<NonNullable<RunStore['usage']>>
): UsageRow[] | undefined {
  const range = [agentId, userId ?? null, userId ?? null, from, to ?? Number.MAX_SAFE_INTEGER] as const
  const counted = statements.countUsage.get(...range, runs + 1)?.count as number
  if (counted > runs) return undefined
  const statement = { day: statements.usageByDay, model: statements.usageByModel, session: statements.usageBySession }[
    by
  ]
  return (statement.all(...range, limit) as SummedRow[]).map(toUsageRow)
}
