import type { RunRecord } from '../data/run-record.ts'
import type { Usage } from '../data/usage.ts'
import type { Spent } from './daily-usage.ts'

type Used = Pick<RunRecord, 'usage' | 'cost'>

/** What a run has used between two readings of it: it has one sum for all of its segments. */
export function spentSince(before: Used, after: Used): Spent {
  const { usage: earlier = {} } = before
  const { usage: later = {} } = after
  const difference = (name: keyof Omit<Usage, 'estimated'>): number =>
    Math.max(0, (later[name] ?? 0) - (earlier[name] ?? 0))
  const inputTokens = difference('inputTokens')
  const outputTokens = difference('outputTokens')
  const usd = Math.max(0, (after.cost?.usd ?? 0) - (before.cost?.usd ?? 0))
  return { usage: { inputTokens, outputTokens, totalTokens: difference('totalTokens') }, cost: { usd } }
}
