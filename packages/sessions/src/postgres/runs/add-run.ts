import { cutTitle, plainText, systemCode } from '@agentkit/core/internal'
import type { RunToBegin } from '../../util/run-to-begin.ts'
import type { Writing } from '../database/access.ts'
import { toStored } from '../database/text-form.ts'
import { isActive, keyColumns, keyOf } from './rows.ts'

export type Begun = { attempt: number; count: number }

/**
 * Adds a run where its session is at the version that is expected and free, and no run has its id.
 * @returns whether it did
 */
export async function tryToAddRun(writing: Writing, run: RunToBegin<boolean>): Promise<boolean> {
  try {
    return await addRun(writing, run, run.expectedVersion > 0, run.expectedVersion)
  } catch (error) {
    // Another process has added the same at the same time.
    if (systemCode(error) === '23505') return false
    throw error
  }
}

/** Adds a run with its messages, and its session where it is new. @param version is checked; the session is locked without */
export async function addRun(
  { query, holder, now, touch }: Writing,
  { key, runId, input, bodies, columns }: RunToBegin<boolean>,
  isKnown: boolean,
  version: number | null = null,
): Promise<boolean> {
  const question = input.find(({ role }) => role === 'user')
  const title = question ? toStored(cutTitle(plainText(question))) : null
  const { agentVersion, deadline, options, progress } = columns
  const added = await query(isKnown ? addText : addWithSessionText, [
    ...[now, title, keyOf(key), ...(isKnown ? [version] : keyColumns(key))],
    ...[toStored(runId), toStored(columns.agentId), toStored(key.userId), holder.id],
    ...[columns.isResumable, columns.keepsEvents, columns.notifies, deadline],
    ...[agentVersion === null ? null : toStored(agentVersion), options, progress, bodies.length, bodies],
  ])
  touch(runId)
  return added.length > 0
}

/** `session` is SQL that returns the id of the run's session, `first` the number of the run's first column. */
function addRunText(session: string, first: number): string {
  const types = ['text', 'text', 'text', 'text', 'bool', 'bool', 'bool', 'bigint', 'text', 'text', 'text', 'int']
  const columns = types.map((type, index) => `$${first + index}::${type}`)
  return `WITH s AS (${session}), run AS (
      INSERT INTO agentkit.runs (session, status, created_at, started_at, has_events, run_id, agent_id, user_id, holder,
        is_resumable, keeps_events, notifies, deadline, agent_version, options, progress, message_count)
      SELECT s.id, 'running', $1::bigint, $1::bigint, ${columns[5]}, ${columns.join(', ')} FROM s RETURNING number
    ), added AS (
      INSERT INTO agentkit.messages (run, position, body)
      SELECT number, place::int - 1, body FROM run, unnest($${first + 12}::text[]) WITH ORDINALITY AS m (body, place)
    ) SELECT number FROM run`
}

const addText = addRunText(
  `UPDATE agentkit.sessions AS s
    SET version = version + 1, updated_at = $1::bigint, question = coalesce(question, $2::text)
    WHERE key = $3::text AND ($4::bigint IS NULL OR (version = $4::bigint
      AND NOT EXISTS (SELECT 1 FROM agentkit.runs WHERE session = s.id AND ${isActive})
      AND NOT EXISTS (SELECT 1 FROM agentkit.runs WHERE run_id = $5::text))) RETURNING id`,
  5,
)
const addWithSessionText = addRunText(
  `INSERT INTO agentkit.sessions (created_at, updated_at, version, question, key, agent_id, user_id, session_id)
    SELECT $1::bigint, $1::bigint, 1, $2::text, $3::text, $4::text, $5::text, $6::text
    WHERE NOT EXISTS (SELECT 1 FROM agentkit.runs WHERE run_id = $7::text) ON CONFLICT DO NOTHING RETURNING id`,
  7,
)
