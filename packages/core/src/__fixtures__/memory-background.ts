import type {
  BackgroundRuns,
  QueuedRunEntry,
  RunNotice,
  StoredSchedule,
  UndeliveredNotice,
} from '../contracts/background-runs.ts'
import type { RunQueue } from '../contracts/run-queue.ts'
import type { StoredRun } from '../contracts/run-store.ts'
import { AgentKitError } from '../data/errors.ts'
import type { RunRecord } from '../data/run-record.ts'
import type { SessionKey } from '../data/session-data.ts'
import { jobOfStored } from '../durable/queue/job-of.ts'

/** What a disk keeps of a background run beside what it keeps of every run. */
export type BackgroundRow = { entry?: QueuedRunEntry; acceptedAt?: number; notifies?: boolean }
type Row = StoredRun & BackgroundRow & { isFree: boolean }
type Notice = UndeliveredNotice & { record: RunRecord; dueAt: number; isGivenUp?: boolean }

export type BackgroundDisk = {
  rows: Map<string, Row>
  now(): number
  addQueued(entry: QueuedRunEntry): Promise<void>
  retry(row: Row): Promise<void>
}

export type MemoryBackground = {
  open(queue: RunQueue): BackgroundRuns
  /** Notes that a run has ended or waits. */
  notice(row: Row): void
  /** @throws AgentKitError `session-conflict` when it is not the turn of a queued run */
  checkTurn(row: Row): void
}

/** The background runs of a disk in memory. Members' runs and shared budgets are tested on SQLite. */
export function memoryBackground({ rows, now, addQueued, retry }: BackgroundDisk): MemoryBackground {
  const schedules = new Map<string, StoredSchedule>()
  const notices = new Map<string, Notice>()
  const workers = new Map<string, { agentIds: readonly string[]; at: number }>()
  const nameOf = (agentId: string, name: string): string => JSON.stringify([agentId, name])
  const queued = (): Row[] => [...rows.values()].filter(({ record }) => record.status === 'queued')
  const readyAt = (row: Row): number => Math.max(row.acceptedAt ?? 0, row.entry?.dueAt ?? 0)
  const inSession = (key: SessionKey, row: Row): boolean => JSON.stringify(row.key) === JSON.stringify(key)
  const known = ({ key, agentId, idempotency }: QueuedRunEntry): Row | undefined =>
    (idempotency ? [...rows.values()] : []).find((row) => {
      const isSame = row.entry?.idempotency?.key === idempotency?.key && row.record.agentId === agentId
      return idempotency !== undefined && isSame && row.key.userId === key.userId
    })

  const background = (queue: RunQueue): BackgroundRuns => ({
    queue,
    async enqueue(entries, bounds) {
      for (const entry of entries) {
        const same = known(entry)
        if (same && same.entry?.idempotency?.fingerprint !== entry.idempotency?.fingerprint) {
          throw new AgentKitError('invalid-argument', 'The idempotency key was used with another input.')
        }
        const isBusy = (): boolean =>
          [...rows.values()].some(
            (row) => inSession(entry.key, row) && ['queued', 'running'].includes(row.record.status),
          )
        if (entry.onBusy === 'reject' && isBusy()) throw new AgentKitError('session-busy', 'The session is busy.')
      }
      const ofUser = queued().filter(({ key }) => key.userId === entries[0]?.key.userId).length
      if (queued().length + entries.length > bounds.queued || ofUser + entries.length > bounds.userQueued) {
        throw new AgentKitError('overloaded', 'Too many runs are queued.', { retryAfterMs: 1_000 })
      }
      const stored: { runId: string; isNew: boolean }[] = []
      for (const entry of entries) {
        const same = known(entry)
        if (!same) await addQueued(entry)
        stored.push({ runId: same?.record.runId ?? entry.runId, isNew: !same })
      }
      return stored
    },
    async retry(runId) {
      const row = rows.get(runId)
      if (row?.record.status !== 'failed') throw new AgentKitError('session-conflict', `The run ${runId} has not failed.`)
      await retry(row)
    },
    async delegate() {
      throw new AgentKitError('unsupported', 'Members are tested on SQLite.')
    },
    async unfinished(agentIds, { after, limit }) {
      const open = [...rows.values()].filter(({ record, isBackground }) => {
        return isBackground && (record.status === 'queued' || record.status === 'running')
      })
      const own = open.filter(({ record }) => agentIds?.includes(record.agentId) ?? true)
      const from = after === undefined ? 0 : own.findIndex(({ record }) => record.runId === after) + 1
      return own.slice(from, from + limit).map((row) => jobOfStored(row))
    },
    counts: async () => [],
    sharedBudget: async () => undefined,
    setSharedBudget: async () => false,
    async setSchedule(schedule) {
      const place = nameOf(schedule.agentId, schedule.name)
      const known = schedules.get(place)
      const isSame = known?.cron === schedule.cron && known.timeZone === schedule.timeZone
      const nextAt = isSame ? (known.nextAt ?? schedule.nextAt) : schedule.nextAt
      schedules.set(place, structuredClone({ ...schedule, ...(nextAt !== undefined && { nextAt }) }))
    },
    removeSchedule: async (agentId, name) => schedules.delete(nameOf(agentId, name)),
    async schedules({ agentIds, dueBefore = Number.POSITIVE_INFINITY }) {
      const found = [...schedules.values()].filter(({ agentId, nextAt = 0 }) => {
        return (agentIds?.includes(agentId) ?? true) && nextAt <= dueBefore
      })
      return structuredClone(found)
    },
    async moveSchedule({ agentId, name, expectedNextAt }, { nextAt, run, bounds }) {
      const schedule = schedules.get(nameOf(agentId, name))
      if (schedule?.nextAt !== expectedNextAt) return false
      const { nextAt: _, ...rest } = schedule
      const moved = { ...rest, ...(nextAt !== undefined && { nextAt }), ...(run && { lastAt: now() }) }
      schedules.set(nameOf(agentId, name), moved)
      try {
        if (run && bounds) await background(queue).enqueue([run], bounds)
        return true
      } catch (error) {
        schedules.set(nameOf(agentId, name), schedule)
        throw error
      }
    },
    async takeNotices(agentIds, { limit, leaseMs }) {
      const due = [...notices.values()].filter(({ record, dueAt, isGivenUp }) => {
        return agentIds.includes(record.agentId) && dueAt <= now() && !isGivenUp
      })
      return due.slice(0, limit).map((notice): RunNotice => {
        Object.assign(notice, { tries: notice.tries + 1, dueAt: now() + leaseMs })
        const { noticeId, tries, createdAt, record } = notice
        return structuredClone({ noticeId, tries, createdAt, record })
      })
    },
    async settleNotice(noticeId, outcome) {
      const notice = notices.get(noticeId)
      if (!notice) return
      if (outcome === 'delivered') notices.delete(noticeId)
      else if ('failed' in outcome) Object.assign(notice, { failed: outcome.failed, isGivenUp: true })
      else notice.dueAt = outcome.retryAt
    },
    undelivered: async (runId) => structuredClone([...notices.values()].filter(({ record }) => record.runId === runId)),
    async beatWorker(workerId, agentIds) {
      workers.set(workerId, { agentIds, at: now() })
    },
    async removeWorker(workerId) {
      workers.delete(workerId)
    },
    lastWorkers: async () =>
      [...workers.values()].flatMap(({ agentIds, at }) => agentIds.map((agentId) => ({ agentId, at }))),
  })
  return {
    open: background,
    notice(row) {
      if (!row.notifies) return
      const noticeId = crypto.randomUUID()
      const record = structuredClone(row.record)
      notices.set(noticeId, { noticeId, tries: 0, createdAt: now(), dueAt: now(), record })
    },
    checkTurn(row) {
      const conflict = (): AgentKitError =>
        new AgentKitError('session-conflict', 'It is not the turn of the run.', { retryable: true })
      if (row.key.agentId !== row.record.agentId) return
      for (const other of rows.values()) {
        if (other === row || !inSession(row.key, other)) continue
        const isEarlier = other.record.status === 'queued' && readyAt(other) <= readyAt(row) && isBefore(other, row)
        if (isEarlier || other.record.status === 'running') throw conflict()
      }
    },
  }

  /** By the order of acceptance where two are ready at the same time. */
  function isBefore(other: Row, row: Row): boolean {
    const order = [...rows.keys()]
    const isSameTime = readyAt(other) === readyAt(row)
    return !isSameTime || order.indexOf(other.record.runId) < order.indexOf(row.record.runId)
  }
}
