import type { PruneReport, RetentionRules } from '@agentkit/core'
import { memoryOwnerOf } from '../../util/memory-owner.ts'
import { noticeMs } from '../../util/notice-ms.ts'
import { storeTime } from '../../util/store-time.ts'
import type { StoreAccess } from '../database/store-access.ts'
import { forgetMessages } from './session-messages.ts'

/**
 * The most rows that one transaction removes, so that it holds the lock for milliseconds only, and that one statement
 * looks up.
 */
const batch = { sessions: 10, rows: 1_000 }

/**
 * Removes data that is older than the rules allow. Open runs and runs with undelivered notices stay, with their
 * sessions.
 */
export async function prune(access: StoreAccess, rules: RetentionRules): Promise<PruneReport> {
  const { sessionsMs = 0, sessionsPerUser = 0, eventsMs = 0, answersMs = 0 } = rules
  const report: PruneReport = { sessions: 0, runs: 0, events: 0, answers: 0 }
  const now = storeTime()
  if (sessionsMs > 0) await removeUnused(access, report, now - sessionsMs)
  if (sessionsPerUser > 0) await removeBeyond(access, report, sessionsPerUser)
  if (sessionsMs > 0 || sessionsPerUser > 0) await removeMembersAlone(access)
  if (eventsMs > 0) await removeEvents(access, report, now - eventsMs)
  if (answersMs > 0) await removeAnswers(access, report, now - answersMs)
  return report
}

async function removeUnused(access: StoreAccess, report: PruneReport, before: number): Promise<void> {
  for (let after = 0; ; ) {
    const found = await access.read((statements) =>
      toFound(statements.unusedSessions.all({ after, before, limit: batch.rows })),
    )
    add(report, await removeSessions(access, found))
    after = found.at(-1)?.id ?? after
    if (found.length < batch.rows) return
  }
}

async function removeBeyond(access: StoreAccess, report: PruneReport, sessionsPerUser: number): Promise<void> {
  const owners = await access.read((statements) => statements.ownersOfMany.all(sessionsPerUser))
  for (const { agent_id, user_id } of owners as { agent_id: string; user_id: string }[]) {
    const found = await access.read((statements) =>
      toFound(statements.sessionsBeyond.all(agent_id, user_id, sessionsPerUser)),
    )
    add(report, await removeSessions(access, found))
  }
}

/**
 * Removes the sessions of members whose swarm's session was removed. They are not reported, because they were part of
 * it.
 */
async function removeMembersAlone(access: StoreAccess): Promise<void> {
  for (let after = 0; ; ) {
    const found = await access.read((statements) => toFound(statements.membersAlone.all({ after, limit: batch.rows })))
    await removeSessions(access, found)
    after = found.at(-1)?.id ?? after
    if (found.length < batch.rows) return
  }
}

type FoundSession = { id: number; updated_at: number }

function toFound(rows: Record<string, unknown>[]): FoundSession[] {
  return rows as FoundSession[] // what the statements select
}

/** Removes sessions, unless they have been used since they were found, or have an open run or a notice to deliver. */
async function removeSessions(
  { write }: StoreAccess,
  found: readonly FoundSession[],
): Promise<{ sessions: number; runs: number }> {
  const removed = { sessions: 0, runs: 0 }
  for (let index = 0; index < found.length; index += batch.sessions) {
    const some = found.slice(index, index + batch.sessions)
    const counts = await write((statements) =>
      some.map(({ id, updated_at }) => {
        const runs = statements.runsOfSession.get(id)?.runs as number
        const key = statements.keyOfSession.get(id) as { agentId: string; userId: string } | undefined // its columns
        forgetMessages(statements, id)
        const { changes } = statements.deleteIdleSession.run(id, updated_at, storeTime() - noticeMs)
        if (changes === 0) return undefined
        if (key) statements.dropForgotten.run(memoryOwnerOf(key))
        return runs
      }),
    )
    for (const runs of counts) {
      if (runs === undefined) continue
      removed.sessions++
      removed.runs += runs
    }
  }
  return removed
}

function add(report: PruneReport, { sessions, runs }: { sessions: number; runs: number }): void {
  report.sessions += sessions
  report.runs += runs
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
