import type { StoredRun } from '../contracts/run-store.ts'
import { progressOf } from './recorded-data.ts'

/** When a stored run was enqueued, began, began to wait, was decided, or ended: the latest of these, in ISO 8601, UTC. */
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
