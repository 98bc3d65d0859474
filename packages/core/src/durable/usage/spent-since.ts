import type { RunRecord } from '../../data/run-record.ts'
import type { Usage } from '../../data/usage.ts'
import type { Spent } from './daily-usage.ts'

type Used = Pick<RunRecord, 'usage' | 'cost'>

const fields = ['inputTokens', 'outputTokens', 'totalTokens'] as const satisfies (keyof Usage)[]

/**
 * What a run has used between two readings of it: it has one sum for all of its segments. What is not known of the run is
 * absent, as in its result.
 */
export function spentSince(before: Used, after: Used): Spent {
  const { usage: earlier = {} } = before
  const { usage: later = {} } = after
  const usage: Usage = {}
  for (const field of fields) {
    const sum = later[field]
    if (sum !== undefined) usage[field] = Math.max(0, sum - (earlier[field] ?? 0))
  }
  if (!after.cost) return { usage }
  return { usage, cost: { usd: Math.max(0, after.cost.usd - (before.cost?.usd ?? 0)) } }
}
