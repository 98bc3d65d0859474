import type { SessionKey } from '@agentkit/core'
import type { Query } from '../database/database.ts'
import { fromStored, toStored } from '../database/text-form.ts'
import { keyColumns, keyOf } from '../runs/rows.ts'

/** A run that is to be queued. */
export type QueuedRow = {
  key: SessionKey
  runId: string
  agentId: string
  /** JSON. */
  options: string
  title: string | null
  priority: number
  dueAt: number | null
  agentVersion: string | null
  idempotency: { hash: string; fingerprint: string } | undefined
  notifies: boolean
  parent: string | null
  /** The number of the outermost run. */
  root: number | null
}

/** Adds queued runs, and the sessions that are new. @returns the runs that are added: no id and no key is used twice */
export async function addQueued(query: Query, rows: readonly QueuedRow[], now: number): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  await query(addSessionsText, [
    rows.map(({ key }) => keyOf(key)),
    ...[0, 1, 2].map((index) => rows.map(({ key }) => keyColumns(key)[index])),
    rows.map(({ title }) => (title === null ? null : toStored(title))),
    now,
  ])
  const added = new Set<string>()
  for (const some of batchesOf(rows)) for (const runId of await addRuns(query, some, now)) added.add(runId)
  return added
}

/** In characters: the driver writes a list as one text, and a statement has some seconds. */
const mostOptions = 16_000_000

/** The rows in their order, as many at once as one statement takes. */
function batchesOf(rows: readonly QueuedRow[]): QueuedRow[][] {
  const batches: QueuedRow[][] = []
  let chars = 0
  for (const row of rows) {
    chars += row.options.length
    const last = batches.at(-1)
    if (last && chars <= mostOptions) last.push(row)
    else {
      batches.push([row])
      chars = row.options.length
    }
  }
  return batches
}

async function addRuns(query: Query, rows: readonly QueuedRow[], now: number): Promise<string[]> {
  const column = <T>(read: (row: QueuedRow) => T): T[] => rows.map(read)
  const added = await query<{ run_id: string }>(addRunsText, [
    column(({ key }) => keyOf(key)),
    column(({ runId }) => toStored(runId)),
    column(({ agentId }) => toStored(agentId)),
    column(({ key }) => toStored(key.userId)),
    column(({ options }) => options),
    column(({ priority }) => priority),
    column(({ dueAt }) => dueAt),
    column(({ agentVersion }) => (agentVersion === null ? null : toStored(agentVersion))),
    column(({ idempotency }) => idempotency?.hash ?? null),
    column(({ idempotency }) => idempotency?.fingerprint ?? null),
    column(({ notifies }) => notifies),
    column(({ parent }) => (parent === null ? null : toStored(parent))),
    column(({ root }) => root),
    now,
  ])
  return added.map(({ run_id }) => fromStored(run_id))
}

/** In the order of their keys, so that two callers never wait for each other. */
const addSessionsText = `WITH given AS (
    SELECT DISTINCT ON (key) * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
      WITH ORDINALITY AS g (key, agent_id, user_id, session_id, question, place) ORDER BY key, place
  ), titled AS (
    UPDATE agentkit.sessions AS s SET question = given.question FROM given
    WHERE s.key = given.key AND s.question IS NULL AND given.question IS NOT NULL
  ) INSERT INTO agentkit.sessions (key, agent_id, user_id, session_id, question, created_at, updated_at)
    SELECT key, agent_id, user_id, session_id, question, $6::bigint, $6::bigint FROM given ORDER BY key
    ON CONFLICT DO NOTHING`
const addRunsText = `INSERT INTO agentkit.runs (status, holds_session, attempt, is_resumable, keeps_events, is_background,
    in_tree, session, run_id, agent_id, user_id, options, priority, due_at, agent_version, idempotency,
    idempotency_fingerprint, notifies, parent, root, created_at, ready_at)
  SELECT 'queued', false, 0, true, true, true, q.root IS NOT NULL, s.id, q.run_id, q.agent_id, q.user_id, q.options,
    q.priority, q.due_at, q.agent_version, q.idempotency, q.fingerprint, q.notifies, q.parent, q.root, $14::bigint,
    greatest($14::bigint, q.due_at)
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::bigint[], $8::text[], $9::text[],
      $10::text[], $11::bool[], $12::text[], $13::bigint[])
    WITH ORDINALITY AS q (key, run_id, agent_id, user_id, options, priority, due_at, agent_version, idempotency, fingerprint,
      notifies, parent, root, place)
    JOIN agentkit.sessions AS s ON s.key = q.key ORDER BY place
  ON CONFLICT DO NOTHING RETURNING run_id`
