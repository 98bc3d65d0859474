import type { TakenJob } from '@agentkit/core'
import type { Statements } from '../statements/statements.ts'
import { makeReady } from './queued-jobs.ts'

/** How long a worker has a job after it last kept it. */
export const leaseMs = 10_000

type JobRow = {
  id: number
  run_id: string
  agent_id: string
  user_id: string
  priority: number
  place: number
  run_number: number
}

export type TakeRequest = { agentIds: readonly string[]; limit: number; perUser?: number }

/**
 * @property now milliseconds since 1970 @property trustsLeases whether the end of a lease means that its worker has
 * died
 */
export type TakeTime = { now: number; trustsLeases: boolean }

/**
 * Takes jobs: the next job of each user in turn, beginning with the user who was served longest ago. Users who have
 * their share are served after all other users, so that no place stays idle.
 */
export function takeJobs(
  statements: Statements,
  { agentIds, limit, perUser }: TakeRequest,
  { now, trustsLeases }: TakeTime,
): TakenJob[] {
  statements.boundLeases.run({ most: now + leaseMs })
  for (const job of [...statements.dueJobs.all(now), ...(trustsLeases ? statements.lostJobs.all(now) : [])]) {
    // The columns have the types of the table.
    makeReady(statements, job as { id: number; agent_id: string; user_id: string })
  }
  const taken: TakenJob[] = []
  const shares = new Map<string, number>()
  const isBounded = (userId: string): boolean => {
    if (perUser === undefined) return false
    const share = shares.get(userId) ?? (statements.takenOfUser.get(userId)?.jobs as number)
    shares.set(userId, share)
    return share >= perUser
  }
  const serve = (mayServe: (userId: string) => boolean): boolean => {
    const userId = nextUser(statements, agentIds, mayServe)
    if (userId === undefined) return false
    const job = nextJob(statements, agentIds, userId)
    if (!job) return true
    const token = crypto.randomUUID()
    statements.takeJob.run(token, now + leaseMs, job.id)
    statements.moveJobTurn.run(userId)
    shares.set(userId, (shares.get(userId) ?? 0) + 1)
    taken.push({ runId: job.run_id, agentId: job.agent_id, userId, token })
    return true
  }
  while (taken.length < limit && serve((userId) => !isBounded(userId)));
  while (taken.length < limit && serve(() => true));
  return taken
}

/** The user whose turn it is. Few are passed over: those who have their share. */
function nextUser(
  statements: Statements,
  agentIds: readonly string[],
  mayServe: (userId: string) => boolean,
): string | undefined {
  let next: { user_id: string; turn: number } | undefined
  for (const agentId of agentIds) {
    for (const row of statements.jobTurns.iterate(agentId)) {
      const turn = row as { user_id: string; turn: number } // what the statement selects
      if (next && next.turn <= turn.turn) break
      if (!mayServe(turn.user_id)) continue
      next = turn
      break
    }
  }
  return next?.user_id
}

/** A user's next job of these agents. Where an agent has none, its turn is removed. */
function nextJob(statements: Statements, agentIds: readonly string[], userId: string): JobRow | undefined {
  let next: JobRow | undefined
  for (const agentId of agentIds) {
    const job = statements.nextJob.get(agentId, userId) as JobRow | undefined // what the statement selects
    if (!job) statements.removeJobTurn.run(agentId, userId)
    else if (!next || isBefore(job, next)) next = job
  }
  return next
}

function isBefore(a: JobRow, b: JobRow): boolean {
  return (b.priority - a.priority || a.place - b.place || a.run_number - b.run_number || a.id - b.id) < 0
}
