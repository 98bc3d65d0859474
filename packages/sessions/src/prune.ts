import type { PruneReport, RetentionRules } from '@agentkit/core'
import type { Statements } from './statements.ts'
import type { StoreAccess } from './store-access.ts'

/** What one transaction removes at most, so that it holds the lock for milliseconds. */
const batch = { sessions: 10, rows: 1_000 }

/** Removes what is older than the rules allow. Open runs and their sessions stay. */
export async function prune(access: StoreAccess, rules: RetentionRules): Promise<PruneReport> {
  const { sessionsMs = 0, sessionsPerUser = 0, eventsMs = 0 } = rules
  const report: PruneReport = { sessions: 0, runs: 0, events: 0, answers: 0 }
  const now = Date.now()
  if (sessionsMs > 0) {
    await removeSessions(access, report, (statements) =>
      statements.unusedSessions.all(now - sessionsMs, batch.sessions),
    )
  }
  if (sessionsPerUser > 0) {
    const owners = await access.read((statements) => statements.ownersOfMany.all(sessionsPerUser))
    for (const { agent_id, user_id } of owners as { agent_id: string; user_id: string }[]) {
      await removeSessions(access, report, (statements) =>
        statements.sessionsBeyond.all(agent_id, user_id, sessionsPerUser, batch.sessions),
      )
    }
  }
  if (eventsMs > 0) {
    await removeEvents(access, report, now - eventsMs)
    await removeAnswers(access, report, now - eventsMs)
  }
  return report
}

async function removeSessions(
  { write }: StoreAccess,
  report: PruneReport,
  find: (statements: Statements) => Record<string, unknown>[],
): Promise<void> {
  for (;;) {
    const removed = await write((statements) => {
      const ids = find(statements).map(({ id }) => id as number)
      const runs = ids.map((id) => statements.runsOfSession.get(id)?.runs as number)
      for (const id of ids) statements.deleteSessionById.run(id)
      return { sessions: ids.length, runs: runs.reduce((sum, count) => sum + count, 0) }
    })
    report.sessions += removed.sessions
    report.runs += removed.runs
    if (removed.sessions < batch.sessions) return
  }
}

async function removeEvents({ write }: StoreAccess, report: PruneReport, before: number): Promise<void> {
  for (;;) {
    const removed = await write((statements) => {
      const run = statements.runWithEvents.get(before)?.number as number | undefined
      if (run === undefined) return undefined
      // A run that is continued later counts on.
      statements.keepLastSeq.run(run)
      const { changes } = statements.deleteEvents.run({ run, limit: batch.rows })
      if (changes < batch.rows) statements.hasNoEvents.run(run)
      return Number(changes)
    })
    if (removed === undefined) return
    report.events += removed
  }
}

async function removeAnswers({ write }: StoreAccess, report: PruneReport, before: number): Promise<void> {
  for (;;) {
    const removed = await write((statements) =>
      Number(statements.deleteAnswers.run({ before, limit: batch.rows }).changes),
    )
    report.answers += removed
    if (removed < batch.rows) return
  }
}
