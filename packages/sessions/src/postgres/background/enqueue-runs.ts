import { AgentKitError, type QueueBounds, type QueuedRunEntry } from '@agentkit/core'
import { conflict, sessionBusy } from '../../util/conflicts.ts'
import { toJSON } from '../../util/json.ts'
import type { Writing } from '../database/access.ts'
import type { Query } from '../database/database.ts'
import type { Holder } from '../database/holder.ts'
import { fromStored, hashOf, toStored } from '../database/text-form.ts'
import { failRuns, replaceRuns } from '../runs/begin-run.ts'
import { type EndedRun, endedColumns } from '../runs/end-runs.ts'
import { lockSession } from '../runs/rows.ts'
import { addQueued, type QueuedRow } from './add-queued.ts'

export type EnqueuedRun = { runId: string; isNew: boolean }

/** Stores queued runs, in order. @throws AgentKitError as `BackgroundRuns.enqueue`, which undoes all of them */
export async function enqueueRuns(
  writing: Writing,
  entries: readonly QueuedRunEntry[],
  bounds?: QueueBounds,
): Promise<EnqueuedRun[]> {
  const { query } = writing
  const rows = entries.map(toRow)
  const known = await knownRuns(query, rows)
  const results: EnqueuedRun[] = []
  const fresh: { row: QueuedRow; entry: QueuedRunEntry }[] = []
  for (const [index, entry] of entries.entries()) {
    // Each entry has a row.
    const row = rows[index] as QueuedRow
    const same = sameRun(known, row, entry)
    results.push({ runId: same ?? entry.runId, isNew: same === undefined })
    if (same !== undefined) continue
    fresh.push({ row, entry })
    if (row.idempotency)
      known.set(row.idempotency.hash, { runId: entry.runId, fingerprint: row.idempotency.fingerprint })
  }
  if (bounds)
    await checkBounds(
      writing,
      fresh.map(({ row }) => row),
      bounds,
    )

  let waiting: QueuedRow[] = []
  const flush = async (): Promise<void> => {
    await add(writing, waiting, entries, results)
    waiting = []
  }
  for (const { row, entry } of fresh) {
    if (entry.onBusy !== 'queue' || entry.replaces !== undefined) {
      // The check must see the runs that are queued before this one.
      await flush()
      await applyToOtherRuns(writing, entry)
    }
    waiting.push(row)
  }
  await flush()
  for (const { runId } of fresh.map(({ entry }) => entry)) writing.touch(runId)
  return results
}

function toRow(entry: QueuedRunEntry): QueuedRow {
  const {
    key,
    runId,
    agentId,
    options,
    title,
    priority = 0,
    dueAt = null,
    agentVersion = null,
    notifies = false,
  } = entry
  const { idempotency } = entry
  const hash = idempotency && hashOf(agentId, key.userId, idempotency.key)
  return {
    ...{ key, runId, agentId, title, priority, dueAt, agentVersion, notifies, parent: null, root: null },
    options: toJSON(options),
    idempotency: hash === undefined ? undefined : { hash, fingerprint: toStored(idempotency?.fingerprint ?? '') },
  }
}

type Known = Map<string, { runId: string; fingerprint: string }>

async function knownRuns(query: Query, rows: readonly QueuedRow[]): Promise<Known> {
  const hashes = rows.flatMap(({ idempotency }) => idempotency?.hash ?? [])
  if (hashes.length === 0) return new Map()
  const found = await query<{ run_id: string; hash: string; fingerprint: string }>(
    `SELECT run_id, idempotency AS hash, idempotency_fingerprint AS fingerprint FROM agentkit.runs
      WHERE idempotency = ANY($1)`,
    [hashes],
  )
  return new Map(found.map(({ run_id, hash, fingerprint }) => [hash, { runId: fromStored(run_id), fingerprint }]))
}

/** The earlier run with the same key and fingerprint. */
function sameRun(known: Known, { idempotency }: QueuedRow, entry: QueuedRunEntry): string | undefined {
  const earlier = idempotency && known.get(idempotency.hash)
  if (!earlier) return undefined
  if (earlier.fingerprint === idempotency.fingerprint) return earlier.runId
  throw new AgentKitError(
    'invalid-argument',
    `The idempotency key ${JSON.stringify(entry.idempotency?.key)} was used with another input, or with other options. Use a new key for it.`,
  )
}

/**
 * The runs that a store may still queue before it counts all again, which takes long where many are queued: a tenth of the room
 * that it has found, within a second. So ten processes stay within the bound together.
 */
const rooms = new WeakMap<Holder, { left: number; until: number; queued: number }>()
const roomMs = 1_000

async function checkBounds(
  { query, holder }: Writing,
  rows: readonly QueuedRow[],
  { queued, userQueued }: QueueBounds,
): Promise<void> {
  const users = Map.groupBy(rows, ({ key }) => toStored(key.userId))
  for (const [userId, own] of users) {
    const text = `SELECT count(*) AS runs FROM (SELECT 1 FROM agentkit.runs
      WHERE user_id = $1 AND status = 'queued' AND root IS NULL LIMIT $2) AS q`
    const [row] = await query<{ runs: number }>(text, [userId, userQueued])
    if ((row?.runs ?? 0) + own.length > userQueued) throw tooMany(`${userQueued} runs of this user are queued`)
  }
  if (rows.length === 0) return
  const now = performance.now()
  const room = rooms.get(holder)
  if (room && room.queued === queued && now < room.until && room.left >= rows.length) {
    room.left -= rows.length
    return
  }
  const text = `SELECT count(*) AS runs FROM (SELECT 1 FROM agentkit.runs
    WHERE status = 'queued' AND root IS NULL LIMIT $1) AS q`
  const [row] = await query<{ runs: number }>(text, [queued])
  const free = queued - (row?.runs ?? 0) - rows.length
  if (free < 0) throw tooMany(`${queued} runs are queued`)
  rooms.set(holder, { left: Math.floor(free / 10), until: now + roomMs, queued })
}

function tooMany(what: string): AgentKitError {
  const message = `${what}, the most that the queue takes. Try again later.`
  return new AgentKitError('overloaded', message, { retryable: true })
}

async function add(
  { query, now, again }: Writing,
  rows: readonly QueuedRow[],
  entries: readonly QueuedRunEntry[],
  results: EnqueuedRun[],
): Promise<void> {
  const added = await addQueued(query, rows, now)
  const isMissing = ({ runId }: QueuedRow): boolean => !added.has(runId)
  // The session of the missing runs was deleted after it was found. It is created again and locked now.
  for (const runId of await addQueued(query, rows.filter(isMissing), now)) added.add(runId)
  const missing = rows.filter(isMissing)
  if (missing.length === 0) return
  // Another caller has used the same keys since.
  const known = await knownRuns(query, missing)
  for (const row of missing) {
    const index = entries.findIndex(({ runId }) => runId === row.runId)
    // The cast holds: each row has an entry.
    const same = sameRun(known, row, entries[index] as QueuedRunEntry)
    if (same !== undefined) results[index] = { runId: same, isNew: false }
    else if (!(again && (await isOwn(query, row.runId, now)))) throw conflict(`There is a run ${row.runId} already.`)
  }
}

/** Whether an earlier try of this call has stored the run. */
async function isOwn(query: Query, runId: string, now: number): Promise<boolean> {
  const text = 'SELECT 1 FROM agentkit.runs WHERE run_id = $1 AND created_at = $2 AND is_background'
  return (await query(text, [toStored(runId), now])).length > 0
}

/**
 * Applies the entry to the session's other runs: hides the runs that it replaces, and ends the runs that it interrupts.
 */
async function applyToOtherRuns(writing: Writing, { key, runId, onBusy, replaces }: QueuedRunEntry): Promise<void> {
  const { query, now } = writing
  const session = await lockSession(query, key)
  if (replaces !== undefined) {
    const text = 'SELECT number FROM agentkit.runs WHERE run_id = $1 AND session = $2 AND NOT replaced'
    const [from] = await query<{ number: number }>(text, [toStored(replaces), session?.id ?? null])
    if (!from || !session) throw new AgentKitError('not-found', `There is no run ${replaces} in this session.`)
    await replaceRuns(writing, session.id, from.number)
    // The history is another one.
    const moved = 'UPDATE agentkit.sessions SET version = version + 1, updated_at = $1 WHERE id = $2'
    await query(moved, [now, session.id])
  }
  if (onBusy === 'queue' || !session) return
  const busy = await query<EndedRun>(
    `SELECT ${endedColumns} FROM agentkit.runs WHERE session = $1 AND status IN ('queued', 'running') AND ended_at IS NULL
      ORDER BY number FOR NO KEY UPDATE`,
    [session.id],
  )
  if (busy.length === 0) return
  if (onBusy === 'reject') throw sessionBusy()
  const error = new AgentKitError('aborted', `The run ${runId} of the same session interrupts this one.`)
  await failRuns(writing, busy, 'aborted', error)
}
