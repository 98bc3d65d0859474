import type { RunEnding, RunEntry } from '../contracts/run-entry.ts'
import type { QueuedRunEntry } from '../contracts/background-runs.ts'
import type { NewRunEntry, OrphanedRun, RunStore, StoredRun } from '../contracts/run-store.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import { AgentKitError } from '../data/errors.ts'
import type { AgentEvent } from '../data/event.ts'
import type { SessionKey } from '../data/session-data.ts'
import { memorySessions } from '../sessions/memory-sessions.ts'
import { type BackgroundRow, memoryBackground } from './memory-background.ts'
import { memoryQueue } from './memory-queue.ts'

type Row = StoredRun &
  BackgroundRow & { process: object | undefined; isFree: boolean; events: AgentEvent[]; holds: boolean; suspendedAt?: number }

/** A disk in memory with sessions and runs, for processes that can be killed. */
export type MemoryDisk = {
  /** A process that shares the disk. */
  open(): { store: SessionStore & { runs: RunStore }; kill(): void }
  /** Jobs that are open. */
  readonly jobs: readonly { runId: string }[]
}

/** @param now the clock of the store */
export function memoryDisk({ now = () => Date.now() }: { now?(): number } = {}): MemoryDisk {
  const sessions = memorySessions()
  const rows = new Map<string, Row>()
  const alive = new Set<object>()
  const watchers = new Map<string, Set<() => void>>()
  const at = (): string => new Date(now()).toISOString()
  const queue = memoryQueue(alive, now)
  const isLost = ({ record, process, isFree }: Row): boolean =>
    record.status === 'running' && !isFree && !(process && alive.has(process))
  const conflict = (message: string, retryable = false): AgentKitError =>
    new AgentKitError('session-conflict', message, { retryable })
  const changed = (runId: string): void => {
    for (const wake of watchers.get(runId) ?? []) wake()
  }
  const rowOf = (runId: string): Row => {
    const row = rows.get(runId)
    if (!row) throw new AgentKitError('not-found', `There is no run ${runId}.`)
    return row
  }
  const writable = (runId: string, attempt: number): Row => {
    const row = rowOf(runId)
    if (row.record.status === 'running' && row.process && row.attempt === attempt) return row
    throw conflict(`The run ${runId} is not of attempt ${attempt}.`)
  }
  const endRow = async (row: Row, { status, ...ending }: RunEnding): Promise<void> => {
    const { runId } = row.record
    const hasBegun = row.attempt > 0
    if (hasBegun && !row.holds) await sessions.begin(row.key, { runId, expectedVersion: await versionOf(row.key), input: [] })
    // A failed background run may begin again, which memory sessions allow to those that wait.
    if (hasBegun) await sessions.end(runId, row.isBackground && status === 'failed' ? 'waiting' : status, row.record.usage)
    Object.assign(row.record, { status, ...ending, endedAt: at() })
    Object.assign(row, { isFree: false, process: undefined })
    row.holds = false
    background.notice(row)
    changed(runId)
  }
  const versionOf = async (key: SessionKey): Promise<number> => (await sessions.load(key))?.version ?? 0
  const settleLost = async (key: SessionKey): Promise<void> => {
    for (const row of rows.values()) {
      const isHere = JSON.stringify(row.key) === JSON.stringify(key)
      if (!isHere || row.isResumable || !isLost(row)) continue
      await endRow(row, { status: 'failed', finishReason: 'error', error: crashed })
    }
  }
  const add = async (row: Row, entry: RunEntry): Promise<void> => {
    const { runId } = row.record
    const own = (await sessions.find(runId))?.messages.length ?? 0
    const fresh = (entry.messages ?? []).slice(Math.max(0, own - (entry.position ?? own)))
    if (row.holds) await sessions.append(runId, fresh, entry.state)
    row.calls.push(...(entry.calls ?? []))
    if (entry.progress !== undefined) row.progress = structuredClone(entry.progress)
    if (entry.usage) row.record.usage = { ...entry.usage }
    if (fresh.length > 0) row.takeovers = 0
    for (const event of structuredClone(entry.events ?? [])) {
      row.events.push(event)
      row.lastSeq = event.seq
    }
    changed(runId)
  }
  const copyOf = ({ process: _, events: _e, holds: _h, suspendedAt: _s, entry, acceptedAt: _a, ...row }: Row): StoredRun =>
    structuredClone({ ...row, ...(entry?.priority !== undefined && { priority: entry.priority }) })
  const addQueued = async (entry: QueuedRunEntry): Promise<void> => {
    const { key, runId, agentId, options, agentVersion, notifies } = entry
    const record: StoredRun['record'] = {
      ...{ runId, agentId, userId: key.userId, status: 'queued', approvals: [], sources: [], attempts: 0, createdAt: at() },
      ...(key.agentId === agentId && { sessionId: key.sessionId }),
      ...(agentVersion !== undefined && { agentVersion }),
    }
    rows.set(runId, {
      ...{ record, key, attempt: 0, isResumable: true, keepsEvents: true, calls: [], approvals: [], lastSeq: 0, takeovers: 0 },
      ...{ options: structuredClone(options), isBackground: true, process: undefined, isFree: false, events: [], holds: false },
      ...{ entry, acceptedAt: now(), ...(notifies && { notifies }) },
    })
  }
  const retry = async (row: Row): Promise<void> => {
    const { finishReason: _, error: _e, endedAt: _at, ...record } = row.record
    Object.assign(row, { record: { ...record, status: 'queued' }, isBackground: true, isResumable: true, takeovers: 0 })
    changed(record.runId)
  }
  const background = memoryBackground({ rows, now, addQueued, retry: (row) => retry(row as Row) })

  const runsOf = (process: object): RunStore => ({
    now,
    background: background.open(queue.open(process)),
    async create(key: SessionKey, run: NewRunEntry) {
      await settleLost(key)
      const { runId, agentId, expectedVersion, input, isResumable, keepsEvents, deadline, options, replaces } = run
      await sessions.begin(key, { runId, expectedVersion, input: [...input], ...(replaces !== undefined && { replaces }) })
      const turns = replaces === undefined ? [] : await sessions.turns(key)
      for (const turn of turns.slice(turns.findIndex((turn) => turn.runId === replaces), -1)) {
        const row = rows.get(turn.runId)
        if (!row) continue
        row.holds = false
        const isOpen = row.record.status !== 'done' && row.record.status !== 'failed'
        Object.assign(row.record, { replaced: true }, isOpen && { status: 'failed', finishReason: 'aborted', approvals: [] })
        changed(turn.runId)
      }
      const createdAt = at()
      const { userId, sessionId } = key
      rows.set(runId, {
        record: {
          ...{ runId, agentId, userId, status: 'running', approvals: [], sources: [], attempts: 1, createdAt },
          ...(key.agentId === agentId && { sessionId }),
          ...(run.agentVersion !== undefined && { agentVersion: run.agentVersion }),
        },
        ...{ key, attempt: 1, isResumable, keepsEvents, calls: [], approvals: [], lastSeq: 0, takeovers: 0 },
        ...(deadline !== undefined && { deadline }),
        ...(options !== undefined && { options: structuredClone(options) }),
        ...{ process, isFree: false, events: [], holds: true, ...(run.notifies && { notifies: true }) },
      })
    },
    async takeOver(runId, { expectedVersion, begin }) {
      const row = rowOf(runId)
      const wasLost = isLost(row)
      const isQueued = row.record.status === 'queued'
      if (isQueued) background.checkTurn(row)
      const isDecided = row.record.status === 'waiting' && row.approvals.some(({ decision }) => decision !== undefined)
      if (!wasLost && !row.isFree && !isDecided && !isQueued) throw conflict(`The run ${runId} is not to be had.`)
      const first = row.attempt === 0 ? (begin?.messages ?? []) : []
      if (!row.holds) await sessions.begin(row.key, { runId, expectedVersion, input: [...first] })
      if (isQueued && begin?.deadline !== undefined) row.deadline = begin.deadline
      if (isQueued && begin?.options !== undefined) row.options = structuredClone(begin.options)
      if (isQueued && begin?.notifies) row.notifies = true
      if (wasLost) row.takeovers++
      else row.isResumable = true
      Object.assign(row, { process, isFree: false, holds: true, attempt: row.attempt + 1 })
      Object.assign(row.record, { status: 'running', attempts: row.attempt, approvals: [] })
      return copyOf(row)
    },
    async append(runId, entry) {
      const row = rowOf(runId)
      const onlyEvents = !entry.messages?.length && !entry.calls?.length && entry.state === undefined
      const mayFollow = row.record.status === 'waiting' && row.attempt === entry.attempt && onlyEvents
      await add(mayFollow ? row : writable(runId, entry.attempt), entry)
    },
    async suspend(runId, { approvals, cost, ...entry }) {
      const row = writable(runId, entry.attempt)
      if (row.process !== process) throw conflict(`Another process has the run ${runId}.`)
      await add(row, entry)
      await sessions.end(runId, 'waiting', entry.usage)
      for (const approval of approvals) {
        if (!row.approvals.some(({ approvalId }) => approvalId === approval.approvalId)) row.approvals.push({ ...approval })
      }
      const known = row.approvals.filter((one) => approvals.some(({ approvalId }) => approvalId === one.approvalId))
      const open = known.filter(({ decision }) => decision === undefined)
      Object.assign(row, { holds: false, process: undefined, takeovers: 0, suspendedAt: now() })
      Object.assign(row.record, { status: 'waiting', finishReason: 'approval', approvals: open, ...(cost && { cost }) })
      if (open.length === 0) Object.assign(row, { isFree: true }, { record: { ...row.record, status: 'running' } })
      else background.notice(row)
      changed(runId)
      return Object.fromEntries(known.flatMap(({ approvalId, decision }) => (decision ? [[approvalId, decision]] : [])))
    },
    async decide(runId, decisions, by) {
      const row = rowOf(runId)
      for (const id of Object.keys(decisions)) {
        const approval = row.approvals.find(({ approvalId }) => approvalId === id)
        if (!approval) throw new AgentKitError('not-found', `No approval ${id}.`)
        if (approval.decision !== undefined) throw conflict(`The approval ${id} was decided at ${approval.decidedAt}.`)
        if (row.record.status === 'done' || row.record.status === 'failed') throw conflict(`The run ${runId} has ended.`)
      }
      for (const approval of row.approvals) {
        const decision = decisions[approval.approvalId]
        const decidedAt = at()
        if (decision !== undefined) Object.assign(approval, { decision, decidedAt }, by === undefined ? {} : { decidedBy: by })
      }
      row.record.approvals = row.record.approvals.filter(({ approvalId }) => decisions[approvalId] === undefined)
      if (row.record.status === 'waiting' && row.record.approvals.length === 0) {
        row.record.status = 'running'
        row.isFree = true
      }
      changed(runId)
      return row.record.status
    },
    async end(runId, { status, finishReason, text, error, cost, sources, ...entry }) {
      const row = writable(runId, entry.attempt)
      await add(row, entry)
      const answer = { ...(text !== undefined && { text }), ...(error && { error }), ...(cost && { cost }) }
      await endRow(row, { status, finishReason, ...answer, ...(sources && { sources }) })
    },
    async cancel(runId, { events = [], ...ending }) {
      const row = rowOf(runId)
      if (row.record.status === 'done' || row.record.status === 'failed') return false
      row.events.push(...events)
      row.lastSeq = row.events.at(-1)?.seq ?? row.lastSeq
      Object.assign(row.record, { approvals: [] })
      await endRow(row, ending)
      return true
    },
    async release(runId, attempt) {
      const row = writable(runId, attempt)
      if (row.process !== process) throw conflict(`Another process has the run ${runId}.`)
      Object.assign(row, { isFree: true, process: undefined })
      changed(runId)
    },
    async read(runId) {
      const row = rows.get(runId)
      return row && copyOf(row)
    },
    async list({ agentId, userId }, { sessionId, status, limit, after }) {
      const found = [...rows.values()].map(({ record }) => record).filter((record) => {
        const isOwn = record.agentId === agentId && (userId === undefined || record.userId === userId)
        return isOwn && (sessionId ?? record.sessionId) === record.sessionId && (status ?? record.status) === record.status
      })
      const newest = found.toReversed()
      const from = after === undefined ? 0 : newest.findIndex(({ runId }) => runId === after) + 1
      return structuredClone(newest.slice(from, from + limit))
    },
    async events(runId, after, limit) {
      return structuredClone((rows.get(runId)?.events ?? []).filter(({ seq }) => seq > after).slice(0, limit))
    },
    async eventRange(runId) {
      const events = rows.get(runId)?.events ?? []
      const [first] = events
      return first && { oldest: first.seq, last: events.at(-1)?.seq ?? first.seq }
    },
    watch(runId, listener) {
      const own = watchers.get(runId) ?? new Set()
      watchers.set(runId, own.add(listener))
      return () => own.delete(listener)
    },
    async orphans(agentIds) {
      const own = [...rows.values()].filter((row) => !row.isBackground && agentIds.includes(row.record.agentId) && (row.isFree || isLost(row)))
      return own.map((row): OrphanedRun => {
        const { record, isResumable, takeovers } = row
        return { runId: record.runId, agentId: record.agentId, isLost: isLost(row), isResumable, takeovers }
      })
    },
    async expired(agentIds, before) {
      const isExpired = ({ record, suspendedAt }: Row): boolean =>
        agentIds.includes(record.agentId) && record.status === 'waiting' && (suspendedAt ?? 0) < before
      return [...rows.values()].filter(isExpired).map(({ record }) => record.runId)
    },
    prune: async () => ({ sessions: 0, runs: 0, events: 0, answers: 0 }),
    answers: { reserve: async () => undefined, store: async () => {}, forget: async () => {} },
  })

  return {
    get jobs() {
      return queue.jobs
    },
    open() {
      const process = {}
      alive.add(process)
      const store = {
        ...sessions,
        async load(key: SessionKey) {
          await settleLost(key)
          return sessions.load(key)
        },
        runs: runsOf(process),
      }
      return { store, kill: () => void alive.delete(process) }
    },
  }
}

const crashed = { code: 'crashed', message: 'The process died.', retryable: false } as const
