import type { RunBeginning, StoredRun } from '@agentkit/core'
import { jsonOrNull, toJSON } from '../../util/json.ts'
import type { Writing } from '../database/access.ts'
import { toStored } from '../database/text-form.ts'
import { type StoredRow, storedFrom, toStoredRun } from './run-rows.ts'

/**
 * Begins a queued run by one statement: one that has stored nothing, whose session is free and at the version that is
 * expected, with no run before it, and no direct one that waits. This is how most background runs begin.
 * @returns the run and its number of messages; `undefined` where it is another one, or has to wait
 */
export async function beginQueued(
  { query, holder, now, touch }: Writing,
  runId: string,
  { expectedVersion, begin }: { expectedVersion: number; begin: RunBeginning },
): Promise<{ stored: StoredRun; count: number } | undefined> {
  const first = begin.messages ?? []
  const values = [toStored(runId), expectedVersion, now, holder.id, first.length]
  const options = [begin.deadline ?? null, jsonOrNull(begin.options), first.map(toJSON), begin.notifies ?? false]
  const [row] = await query<StoredRow>(beginText, [...values, ...options])
  if (!row) return undefined
  touch(runId)
  return { stored: toStoredRun(row, runId), count: first.length }
}

/** As everywhere, the session is locked before its runs. The run becomes the last turn of the session. */
const beginText = `WITH place AS MATERIALIZED (
    SELECT id FROM agentkit.sessions
    WHERE id = (SELECT session FROM agentkit.runs WHERE run_id = $1::text) AND version = $2::bigint
      AND (direct_until IS NULL OR direct_until <= $3::bigint) FOR NO KEY UPDATE
  ), next AS MATERIALIZED (
    SELECT own.number, own.session FROM place JOIN agentkit.runs AS own ON own.session = place.id
    WHERE own.run_id = $1::text AND own.status = 'queued' AND NOT own.replaced AND own.root IS NULL
      AND own.started_at IS NULL AND own.message_count = 0
      AND NOT EXISTS (SELECT 1 FROM agentkit.events WHERE run = own.number)
      AND NOT EXISTS (SELECT 1 FROM agentkit.runs WHERE session = own.session AND status = 'running')
      AND NOT EXISTS (SELECT 1 FROM agentkit.runs AS other WHERE other.session = own.session AND other.status = 'queued'
        AND (other.ready_at, other.number) < (own.ready_at, own.number))
    FOR NO KEY UPDATE OF own
  ), moved AS (
    UPDATE agentkit.sessions SET version = version + 1, updated_at = $3::bigint FROM next WHERE id = next.session
  ), run AS (
    UPDATE agentkit.runs AS begun SET number = nextval(pg_get_serial_sequence('agentkit.runs', 'number')),
      listed = coalesce(begun.listed, begun.number),
      status = 'running', holder = $4::text, holds_session = true, attempt = attempt + 1, waiting_since = NULL,
      has_events = keeps_events, awaits_members = false, started_at = $3::bigint, message_count = $5::int,
      deadline = coalesce($6::bigint, deadline), options = coalesce($7::text, options),
      notifies = notifies OR $9::boolean
    FROM next WHERE begun.number = next.number RETURNING begun.*
  ), added AS (
    INSERT INTO agentkit.messages (run, position, body)
    SELECT number, place::int - 1, body FROM run, unnest($8::text[]) WITH ORDINALITY AS m (body, place)
  ) ${storedFrom('run')}`
