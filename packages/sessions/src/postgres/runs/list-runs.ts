import type { RunRecord, RunStatus } from '@agentkit/core'
import type { Query } from '../database/database.ts'
import { toStored } from '../database/text-form.ts'
import { isRunning, keyOf } from './rows.ts'
import { listColumns, type RecordRow, toListed } from './run-rows.ts'

/** SQL: of a run in lists. Its number changes when a queued one begins. */
export const placeInLists = 'coalesce(r.listed, r.number)'

type Filter = { sessionId?: string; status?: RunStatus; limit: number; after?: string }

/** Runs of an owner, newest first. Runs of members are part of the run that they are called by. */
export async function listRuns(
  query: Query,
  { agentId, userId }: { agentId: string; userId?: string },
  { sessionId, status, limit, after }: Filter,
): Promise<RunRecord[]> {
  const values: unknown[] = []
  const put = (value: unknown): string => `$${values.push(value)}`
  const conditions = [`r.agent_id = ${put(toStored(agentId))}`]
  if (userId !== undefined) conditions.push(`r.user_id = ${put(toStored(userId))}`)
  const isSuspended = status === 'queued' || status === 'waiting'
  const hasEnded = status === 'done' || status === 'failed'
  // In the other form, so that Postgres reads no index of all runs to find those of a user, who may have no new ones.
  conditions.push(userId === undefined || isSuspended || hasEnded ? 'r.root IS NULL' : '(r.root IS NULL OR r.root = 0)')
  if (sessionId !== undefined && userId !== undefined) {
    conditions.push(`s.key = ${put(keyOf({ agentId, userId, sessionId }))}`)
  } else if (sessionId !== undefined) {
    // The key of a run without a session names another agent.
    conditions.push(`s.session_id = ${put(toStored(sessionId))} AND s.agent_id = r.agent_id`)
  }
  // In the text, so that a plan for any value, which cannot read the indexes of ended runs, is not used for them.
  if (hasEnded) conditions.push(`r.status = '${status}'`)
  else if (status === 'running') conditions.push(`r.${isRunning}`)
  else if (status !== undefined) conditions.push(`r.status = ${put(status)}`)
  if (isSuspended) conditions.push('NOT r.holds_session AND r.ended_at IS NULL')
  if (after !== undefined) {
    // A run of another owner is unknown: its place would show that it exists, and when it began.
    const ofUser = userId === undefined ? '' : ` AND user_id = ${put(toStored(userId))}`
    const ofOwner = `run_id = ${put(toStored(after))} AND agent_id = ${put(toStored(agentId))}${ofUser}`
    conditions.push(`${placeInLists} < (SELECT ${placeInLists} FROM agentkit.runs AS r WHERE ${ofOwner})`)
  }
  const count = put(Math.min(limit, Number.MAX_SAFE_INTEGER))
  const rows = await query<RecordRow>(
    `SELECT ${listColumns} FROM agentkit.runs AS r JOIN agentkit.sessions AS s ON s.id = r.session
      WHERE ${conditions.join(' AND ')} ORDER BY ${placeInLists} DESC LIMIT ${count}`,
    values,
  )
  return rows.map(toListed)
}
