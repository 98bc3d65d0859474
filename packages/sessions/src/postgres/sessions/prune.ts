import type { PruneReport, RetentionRules } from '@agentkit/core'
import { memoryOwnerOf } from '../../util/memory-owner.ts'
import type { MessageCache } from '../../util/message-cache.ts'
import { noticeMs } from '../../util/notice-ms.ts'
import type { Access } from '../database/access.ts'
import type { Query } from '../database/database.ts'
import { fromStored } from '../database/text-form.ts'
import { dropForgotten } from './postgres-memory.ts'

/**
 * The most rows that one statement removes, so that it holds locks for milliseconds only, and that one statement looks
 * up.
 */
const batch = { sessions: 10, rows: 1_000 }

/**
 * Removes data that is older than the rules allow. Open runs and runs with undelivered notices stay, with their
 * sessions.
 */
export async function prune(
  { database: { query }, holder, cache }: Access,
  rules: RetentionRules,
): Promise<PruneReport> {
  const { sessionsMs = 0, sessionsPerUser = 0, eventsMs = 0, answersMs = 0 } = rules
  const report: PruneReport = { sessions: 0, runs: 0, events: 0, answers: 0 }
  // This may be the first call: a clock of the machine that is ahead would remove what is new.
  await holder.readClock(query)
  const now = holder.now()
  // The database compares whole milliseconds.
  const before = (ms: number): number => Math.ceil(now - ms)
  if (sessionsMs > 0) {
    await eachPage((after) => query(unusedText, [after, before(sessionsMs), batch.rows]), remove)
  }
  if (sessionsPerUser > 0) {
    const owners = await query<{ agent_id: string; user_id: string }>(ownersText, [sessionsPerUser])
    for (const { agent_id, user_id } of owners) {
      await remove(await query(beyondText, [agent_id, user_id, sessionsPerUser]))
    }
  }
  if (sessionsMs > 0 || sessionsPerUser > 0) {
    // Sessions of members were part of their swarm's session, so they are removed after it.
    await eachPage(
      (after) => query(membersAloneText, [after, batch.rows]),
      (found) => removeSessions(query, { cache, now }, found),
    )
  }
  if (eventsMs > 0) report.events = await removeEvents(query, before(eventsMs))
  if (answersMs > 0) report.answers = await removeAnswers(query, before(answersMs))
  return report

  async function remove(found: readonly FoundSession[]): Promise<void> {
    const removed = await removeSessions(query, { cache, now }, found)
    report.sessions += removed.sessions
    report.runs += removed.runs
  }
}

type FoundSession = { id: number; updated_at: number }

async function eachPage(
  read: (after: number) => Promise<FoundSession[]>,
  remove: (found: readonly FoundSession[]) => Promise<unknown>,
): Promise<void> {
  for (let after = 0; ; ) {
    const found = await read(after)
    await remove(found)
    after = found.at(-1)?.id ?? after
    if (found.length < batch.rows) return
  }
}

/** Removes sessions, unless they have been used since they were found, or have an open run or a notice to deliver. */
async function removeSessions(
  query: Query,
  { cache, now }: { cache: MessageCache; now: number },
  found: readonly FoundSession[],
): Promise<{ sessions: number; runs: number }> {
  const removed = { sessions: 0, runs: 0 }
  for (let index = 0; index < found.length; index += batch.sessions) {
    const some = found.slice(index, index + batch.sessions)
    const rows = await query<{ id: number; runs: number; agent_id: string; user_id: string }>(removeText, [
      some.map(({ id }) => id),
      some.map(({ updated_at }) => updated_at),
      Math.ceil(now - noticeMs),
    ])
    removed.sessions += rows.length
    for (const { id, runs } of rows) {
      cache.forget(id)
      removed.runs += runs
    }
    const owners = rows.map((row) => ({ agentId: fromStored(row.agent_id), userId: fromStored(row.user_id) }))
    await dropForgotten(query, owners.map(memoryOwnerOf))
  }
  return removed
}

async function removeEvents(query: Query, before: number): Promise<number> {
  for (let events = 0; ; ) {
    const [run] = await query<{ number: number }>(
      'SELECT number FROM agentkit.runs WHERE has_events AND ended_at < $1 LIMIT 1',
      [before],
    )
    if (!run) return events
    // A run that is continued later counts on.
    await query(keepLastText, [run.number])
    const removed = await query(removeEventsText, [run.number, batch.rows])
    events += removed.length
    if (removed.length < batch.rows) {
      await query('UPDATE agentkit.runs SET has_events = false WHERE number = $1', [run.number])
    }
  }
}

async function removeAnswers(query: Query, before: number): Promise<number> {
  for (let answers = 0; ; ) {
    const removed = await query(removeAnswersText, [before, batch.rows])
    answers += removed.length
    if (removed.length < batch.rows) return answers
  }
}

/** Its session stays: without this condition, each sweep would try to remove it. */
const openRun = `SELECT 1 FROM agentkit.runs WHERE status IN ('queued', 'running', 'waiting') AND session`

/** The agent id of a swarm's member contains a slash. Its session is removed after the session of the swarm. */
const unusedText = `SELECT id, updated_at FROM agentkit.sessions AS s
  WHERE id > $1 AND updated_at < $2 AND position('/' IN agent_id) = 0
    AND NOT EXISTS (SELECT 1 FROM agentkit.runs WHERE session = s.id AND root IS NOT NULL)
    AND NOT EXISTS (${openRun} = s.id) ORDER BY id LIMIT $3`
const membersAloneText = `SELECT id, updated_at FROM agentkit.sessions AS own
  WHERE id > $1 AND position('/' IN agent_id) > 0
    AND NOT EXISTS (SELECT 1 FROM agentkit.runs WHERE session = own.id AND root IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM agentkit.sessions AS whole WHERE whole.agent_id = split_part(own.agent_id, '/', 1)
      AND whole.user_id = own.user_id AND whole.session_id = own.session_id)
  ORDER BY id LIMIT $2`
const ownersText = `SELECT agent_id, user_id FROM agentkit.sessions
  WHERE position(':' IN agent_id) = 0 AND position('/' IN agent_id) = 0
  GROUP BY agent_id, user_id HAVING count(*) > $1`
const beyondText = `SELECT id, updated_at FROM (SELECT id, updated_at FROM agentkit.sessions
    WHERE agent_id = $1 AND user_id = $2 ORDER BY updated_at DESC, id DESC OFFSET $3) AS s
  WHERE NOT EXISTS (${openRun} = s.id)`
const removeText = `DELETE FROM agentkit.sessions AS s USING unnest($1::bigint[], $2::bigint[]) AS f (id, updated_at)
  WHERE s.id = f.id AND s.updated_at = f.updated_at AND NOT EXISTS
    (SELECT 1 FROM agentkit.runs WHERE session = s.id AND status IN ('queued', 'running', 'waiting'))
    AND NOT EXISTS (SELECT 1 FROM agentkit.runs AS r JOIN agentkit.notices AS n ON n.run = r.number
      WHERE r.session = s.id AND n.due_at IS NOT NULL AND n.created_at > $3)
  RETURNING s.id, s.agent_id, s.user_id, (SELECT count(*) FROM agentkit.runs WHERE session = s.id) AS runs`
const keepLastText = `UPDATE agentkit.runs SET last_seq = greatest(last_seq,
  (SELECT max(seq) FROM agentkit.events WHERE run = number)) WHERE number = $1`
const removeEventsText = `DELETE FROM agentkit.events WHERE run = $1 AND seq IN
  (SELECT seq FROM agentkit.events WHERE run = $1 ORDER BY seq LIMIT $2) RETURNING 1`
const removeAnswersText = `DELETE FROM agentkit.answers WHERE key IN (SELECT a.key FROM agentkit.answers AS a
    LEFT JOIN agentkit.runs AS r ON r.run_id = a.run_id
  WHERE a.created_at < $1 AND (r.number IS NULL OR r.ended_at < $1) LIMIT $2) RETURNING 1`
