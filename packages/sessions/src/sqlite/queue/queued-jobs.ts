import type { QueuedJob } from '@agentkit/core'
import type { Statements } from '../statements/statements.ts'

/** Jobs are postponed by seconds. One that is due later than in this time waits for the time that its run has, if it has one. */
const longestMs = 60_000

type SessionJob = { id: number; state: string; agent_id: string; user_id: string; due_at: number }

/** Adds a job to the queue, behind the earlier ones of its session. */
export function addJob(statements: Statements, job: QueuedJob, now: number): void {
  const { runId, agentId, userId, sessionKey = null, sessionOrder = null, priority = 0, startAfter = 0 } = job
  const dueAt = Math.max(now, startAfter)
  const { id } = statements.addJob.get({ runId, agentId, userId, sessionKey, sessionOrder, priority, dueAt }) as {
    id: number
  } // returned
  if (sessionKey === null) admit(statements, { id, agent_id: agentId, user_id: userId, due_at: dueAt }, now)
  else admitFirst(statements, sessionKey, now)
}

/** Removes the jobs of a run that no worker has. */
export function removeJobs(statements: Statements, runId: string, now: number): void {
  const removed = statements.removeJobsOfRun.all(runId) as { session_key: string | null }[] // returned
  for (const { session_key } of removed) if (session_key !== null) admitFirst(statements, session_key, now)
}

/** Removes a job that a worker has, or delivers it again later. Does nothing for one that the worker has lost. */
export function settleJob(statements: Statements, token: string, afterMs: number | undefined, now: number): void {
  // The columns have the types of the table.
  const job = statements.takenJob.get(token) as
    | { id: number; session_key: string | null; agent_id: string; user_id: string }
    | undefined
  if (!job) return
  const dueAt = now + (afterMs ?? 0)
  if (afterMs === undefined) statements.removeJob.run(job.id)
  else statements.postponeJob.run(dueAt, job.id)
  if (job.session_key !== null) admitFirst(statements, job.session_key, now)
  else if (afterMs !== undefined) admit(statements, { ...job, due_at: dueAt }, now)
}

/** The first job of a session may be taken, unless one of it is; the others wait behind it. */
function admitFirst(statements: Statements, sessionKey: string, now: number): void {
  if (statements.takenOfSession.get(sessionKey)) return
  const first = statements.firstOfSession.get(sessionKey) as SessionJob | undefined // what the statement selects
  if (first?.state !== 'behind') return
  statements.waitBehind.run(sessionKey, first.id)
  admit(statements, first, now)
}

function admit(statements: Statements, job: Omit<SessionJob, 'state'>, now: number): void {
  if (dueAtOf(statements, job, now) > now) statements.setJobState.run('later', job.id)
  else makeReady(statements, job)
}

/** When a job is due, also after the clock was set back. */
function dueAtOf(statements: Statements, { id, due_at }: Pick<SessionJob, 'id' | 'due_at'>, now: number): number {
  if (due_at <= now + longestMs) return due_at
  const run = statements.startOfRun.get(id) as { due_at: number | null } | undefined // what the statement selects
  return run ? (run.due_at ?? now) : due_at
}

/** The ids of jobs of these runs that wait for a time which the clock had reached before it was set back. */
export function misdatedJobs(statements: Statements, runIds: readonly string[], now: number): number[] {
  const jobs = runIds.flatMap((runId) => statements.misdatedJob.all({ runId, now, longest: longestMs }))
  return jobs.map(({ id }) => id as number) // the column of the statement
}

/** Makes such jobs due. */
export function redateJobs(statements: Statements, runIds: readonly string[], now: number): void {
  for (const id of misdatedJobs(statements, runIds, now)) statements.redateJob.run(now, id)
}

/** Makes a job ready: from now on its user takes part in the turns. */
export function makeReady(
  statements: Statements,
  { id, agent_id, user_id }: Pick<SessionJob, 'id' | 'agent_id' | 'user_id'>,
): void {
  statements.setJobState.run('ready', id)
  statements.addJobTurn.run(agent_id, user_id)
}
