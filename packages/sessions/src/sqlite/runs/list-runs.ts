import type { RunRecord, RunStatus } from '@agentkit/core'
import type { Statements } from '../statements/statements.ts'
import { type RecordRow, toListed } from './run-rows.ts'

/** Runs of an owner, newest first. */
export function listRuns(
  statements: Statements,
  { agentId, userId }: { agentId: string; userId?: string },
  { sessionId, status, limit, after }: { sessionId?: string; status?: RunStatus; limit: number; after?: string },
): RunRecord[] {
  // A run of another owner is unknown: its place would show that it exists, and when it began.
  const place = after === undefined ? undefined : statements.placeOfOwner.get(after, agentId, userId ?? null)
  const last = after === undefined ? Number.MAX_SAFE_INTEGER : place?.place
  if (last === undefined) return []
  const before = last as number // a number of a run
  const count = Math.min(limit, Number.MAX_SAFE_INTEGER)
  const page = [before, status ?? null, status ?? null, count] as const
  const rows = (): Record<string, unknown>[] => {
    if (userId !== undefined && sessionId !== undefined) {
      return statements.runsOfUserSession.all(agentId, userId, sessionId, ...page)
    }
    if (sessionId !== undefined) return statements.runsOfSessions.all(agentId, sessionId, ...page)
    // The runs of each status have indexes of their own, as they may be few among many.
    if (status === 'running') {
      const running = { agentId, before, limit: count }
      return userId === undefined
        ? statements.runningRunsOfAgent.all(running)
        : statements.runningRunsOfOwner.all({ ...running, userId })
    }
    if (status === 'queued' || status === 'waiting') {
      const suspended = { agentId, status, before, limit: count }
      return userId === undefined
        ? statements.suspendedRunsOfAgent.all(suspended)
        : statements.suspendedRunsOfOwner.all({ ...suspended, userId })
    }
    if (status === 'done' || status === 'failed') {
      const ended = { agentId, status, before, limit: count }
      return userId === undefined
        ? statements.endedRunsOfAgent.all(ended)
        : statements.endedRunsOfOwner.all({ ...ended, userId })
    }
    if (userId !== undefined) return statements.runsOfOwner.all(agentId, userId, ...page)
    return statements.runsOfAgent.all(agentId, ...page)
  }
  return (rows() as RecordRow[]).map((row) => toListed(statements, row))
}
