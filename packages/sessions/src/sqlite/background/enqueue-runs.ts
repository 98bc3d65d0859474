import { AgentKitError, type QueueBounds, type QueuedRunEntry } from '@agentkit/core'
import { conflict, sessionBusy } from '../../util/conflicts.ts'
import { toJSON } from '../../util/json.ts'
import type { Writing } from '../database/store-access.ts'
import { failRun, findReplaced, replaceRuns } from '../runs/begin-run.ts'
import { addSession, findRun, findSession, type RunHead, type SessionRow } from '../runs/rows.ts'
import type { Statements } from '../statements/statements.ts'

export type EnqueuedRun = { runId: string; isNew: boolean }

/** Stores queued runs, in order. @throws AgentKitError as `BackgroundRuns.enqueue`, which undoes all of them */
export function enqueueRuns(writing: Writing, entries: readonly QueuedRunEntry[], bounds?: QueueBounds): EnqueuedRun[] {
  const reserve = bounds ? countPlaces(writing.statements, bounds) : () => {}
  return entries.map((entry) => {
    const known = findSame(writing.statements, entry)
    if (known !== undefined) return { runId: known, isNew: false }
    reserve(entry.key.userId)
    enqueueRun(writing, entry)
    return { runId: entry.runId, isNew: true }
  })
}

/** The earlier run with the same key and fingerprint. */
function findSame(statements: Statements, { agentId, key, idempotency }: QueuedRunEntry): string | undefined {
  if (!idempotency) return undefined
  const row = statements.idempotentRun.get(agentId, key.userId, idempotency.key)
  if (!row) return undefined
  if (row.fingerprint === idempotency.fingerprint) return row.run_id as string
  throw new AgentKitError(
    'invalid-argument',
    `The idempotency key ${JSON.stringify(idempotency.key)} was used with another input, or with other options. Use a new key for it.`,
  )
}

/** @returns takes a place in the queue for a user's run */
function countPlaces(statements: Statements, { queued, userQueued }: QueueBounds): (userId: string) => void {
  const places = new Map<string, number>()
  let all = queued - (statements.queuedRuns.get()?.runs as number)
  return (userId) => {
    const own = places.get(userId) ?? userQueued - (statements.queuedRunsOfUser.get(userId, userQueued)?.runs as number)
    if (all <= 0) throw tooMany(`${queued} runs are queued`)
    if (own <= 0) throw tooMany(`${userQueued} runs of this user are queued`)
    all--
    places.set(userId, own - 1)
  }
}

function tooMany(what: string): AgentKitError {
  return new AgentKitError('overloaded', `${what}, the most that the queue takes. Try again later.`, {
    retryable: true,
  })
}

function enqueueRun(writing: Writing, entry: QueuedRunEntry): void {
  const { statements, now } = writing
  const { key, runId, agentId, title, priority = 0, dueAt, idempotency, replaces } = entry
  if (findRun(statements, runId)) throw conflict(`There is a run ${runId} already.`)
  const known = findSession(statements, key)
  const from = replaces === undefined ? undefined : findReplaced(statements, known, replaces)
  if (replaces !== undefined && from === undefined) {
    throw new AgentKitError('not-found', `There is no run ${replaces} in this session.`)
  }
  if (known) applyToOtherRuns(writing, known, entry, from)
  const session = known?.id ?? addSession(statements, key, now, title)
  if (known?.is_untitled || from !== undefined) statements.setQuestion.run(title, session)
  addQueued(statements, {
    ...{ runId, session, agentId, userId: key.userId, options: toJSON(entry.options), priority, now },
    dueAt: dueAt ?? null,
    readyAt: Math.max(now, dueAt ?? 0),
    agentVersion: entry.agentVersion ?? null,
    idempotencyKey: idempotency?.key ?? null,
    fingerprint: idempotency?.fingerprint ?? null,
    notifies: Number(entry.notifies ?? false),
  })
  writing.touch(runId)
}

/**
 * Applies the entry to the session's other runs: hides the runs that it replaces, and ends the runs that it interrupts.
 */
function applyToOtherRuns(
  writing: Writing,
  session: SessionRow,
  { onBusy, runId }: QueuedRunEntry,
  from: number | undefined,
): void {
  const { statements, touch, now } = writing
  if (from !== undefined) {
    replaceRuns(writing, session.id, from)
    // The history is another one.
    statements.moveSession.run(now, session.id)
  }
  if (onBusy === 'queue') return
  const busy = statements.busyRuns.all({ session: session.id }).map((row) => row.run_id as string)
  if (busy.length === 0) return
  if (onBusy === 'reject') throw sessionBusy()
  const error = new AgentKitError('aborted', `The run ${runId} of the same session interrupts this one.`)
  for (const other of busy) {
    failRun(writing, findRun(statements, other) as RunHead, 'aborted', error) // found above, in this transaction
    touch(other)
  }
}

export type QueuedColumns = {
  runId: string
  session: number
  agentId: string
  userId: string
  options: string
  priority: number
  now: number
  readyAt: number
  dueAt?: number | null
  agentVersion?: string | null
  idempotencyKey?: string | null
  fingerprint?: string | null
  notifies?: number
  parent?: string
  root?: string
}

export function addQueued(statements: Statements, columns: QueuedColumns): void {
  const none = { dueAt: null, agentVersion: null, idempotencyKey: null, fingerprint: null, notifies: 0 }
  statements.enqueueRun.run({ ...none, parent: null, root: null, ...columns })
}
