import type { StoredRun } from '../contracts/run-store.ts'
import { progressOf } from './recorded-data.ts'

/** When a stored run got its status, in ISO 8601, UTC: it also began to wait, or the last decision on it was made. */
export function statusTime(stored: StoredRun): string {
  const { record, approvals } = stored
  const { status, createdAt, startedAt = createdAt, endedAt } = record
  if (endedAt !== undefined) return endedAt
  if (status === 'queued') return startedAt
  const progress = progressOf(stored)
  const suspendedAt = progress?.suspended && new Date(progress.at).toISOString()
  const times = [startedAt, suspendedAt, ...approvals.map(({ decidedAt }) => decidedAt)]
  return times.reduce<string>((latest, time) => (time !== undefined && time > latest ? time : latest), startedAt)
}
