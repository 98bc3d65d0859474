import type { RunRecord, RunStatus } from '@agentkit/core'
import { type RecordRow, toRecord } from './run-rows.ts'
import type { Statements } from './statements.ts'

/** Runs of an owner, newest first. */
export function listRuns(
  statements: Statements,
  { agentId, userId }: { agentId: string; userId?: string },
  { sessionId, status, limit, after }: { sessionId?: string; status?: RunStatus; limit: number; after?: string },
): RunRecord[] {
  const last = after === undefined ? Number.MAX_SAFE_INTEGER : statements.numberOfRun.get(after)?.number
  if (last === undefined) return []
  const page = [last as number, status ?? null, status ?? null, Math.min(limit, Number.MAX_SAFE_INTEGER)] as const
  // Runs that are open have an index of their own, as they are few among many.
  const isOpen = status === 'queued' || status === 'running' || status === 'waiting'
  const rows = (): Record<string, unknown>[] => {
    if (userId !== undefined && sessionId !== undefined) {
      return statements.runsOfUserSession.all(agentId, userId, sessionId, ...page)
    }
    if (sessionId !== undefined) return statements.runsOfSessions.all(agentId, sessionId, ...page)
    if (userId !== undefined) {
      return (isOpen ? statements.openRunsOfOwner : statements.runsOfOwner).all(agentId, userId, ...page)
    }
    return (isOpen ? statements.openRunsOfAgent : statements.runsOfAgent).all(agentId, ...page)
  }
  return (rows() as RecordRow[]).map((row) => toRecord(statements, row))
}
