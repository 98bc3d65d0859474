import {
  AgentKitError,
  checkSessionKey,
  type Decision,
  type OrphanedRun,
  type RunStatus,
  type RunStore,
  type StoredApproval,
} from '@agentkit/core'
import { alreadyDecided, isEnded } from '@agentkit/core/internal'
import { hasEnded, unknownRun } from '../util/conflicts.ts'
import { jsonOrNull, parseStored, toJSON } from '../util/json.ts'
import { storeTime } from '../util/store-time.ts'
import { sqliteBackgroundRuns } from './background/sqlite-background-runs.ts'
import type { StoreAccess } from './database/store-access.ts'
import { beginRun, isLost } from './runs/begin-run.ts'
import { afterStop, endRun } from './runs/end-run.ts'
import { idempotentAnswers } from './runs/idempotent-answers.ts'
import { listRuns } from './runs/list-runs.ts'
import { readUsage } from './runs/read-usage.ts'
import { findRun, type RunHead } from './runs/rows.ts'
import { readStoredRun } from './runs/run-rows.ts'
import { readEventRange, readEvents } from './runs/stored-events.ts'
import { takeOver } from './runs/take-over.ts'
import { hasOnlyEvents, prepareEntry, requireHeld, requireLatest, requireOwn, writeEntry } from './runs/write-entry.ts'
import { prune } from './sessions/prune.ts'
import type { Statements } from './statements/statements.ts'

/** The part of a SQLite store that lets runs outlive their process. */
export function sqliteRunStore(access: StoreAccess, { isShared }: { isShared: boolean }): RunStore {
  const { holder, watchers, read, write } = access

  return {
    ...(isShared && { background: sqliteBackgroundRuns(access) }),
    now: storeTime,

    async create(key, run) {
      checkSessionKey(key)
      const { runId, expectedVersion, input, replaces } = run
      const bodies = input.map(toJSON)
      const columns = {
        agentId: run.agentId,
        isResumable: Number(run.isResumable),
        keepsEvents: Number(run.keepsEvents),
        deadline: run.deadline ?? null,
        agentVersion: run.agentVersion ?? null,
        options: jsonOrNull(run.options),
        progress: jsonOrNull(run.progress),
        notifies: Number(run.notifies ?? false),
      }
      const toBegin = { key, runId, expectedVersion, input, bodies, replaces, mayBeginAgain: false, columns }
      const outcome = await write((statements, touch, hold) => {
        const attempt = beginRun({ statements, touch, holder, now: storeTime() }, toBegin)
        if (typeof attempt === 'number') hold(runId, attempt)
        return attempt
      })
      if (typeof outcome !== 'number') throw outcome
    },

    async takeOver(runId, { expectedVersion, begin }) {
      const beginning = begin && {
        bodies: begin.messages.map(toJSON),
        deadline: begin.deadline ?? null,
        options: jsonOrNull(begin.options),
        notifies: Number(begin.notifies ?? false),
      }
      const outcome = await write((statements, touch, hold) => {
        const stored = takeOver({ statements, touch, holder, now: storeTime() }, runId, expectedVersion, beginning)
        if ('attempt' in stored) hold(runId, stored.attempt)
        return stored
      })
      if (!('attempt' in outcome)) throw outcome
      return outcome
    },

    async append(runId, entry) {
      const prepared = prepareEntry(entry)
      await write((statements, touch) => {
        const find = hasOnlyEvents(prepared) ? requireLatest : requireHeld
        writeEntry(statements, touch, find(statements, runId, entry.attempt), prepared)
        touch(runId)
      })
    },

    async suspend(runId, entry) {
      const prepared = prepareEntry(entry)
      const cost = jsonOrNull(entry.cost)
      const approvals = entry.approvals.map((approval) => [approval.approvalId, bodyOf(approval)] as const)
      const decisions = await write(
        (statements, touch) => {
          const run = requireOwn(statements, runId, entry.attempt, holder.id)
          const now = storeTime()
          writeEntry(statements, touch, run, prepared)
          if (cost !== null) statements.setCost.run(cost, run.number)
          for (const [id, body] of approvals) statements.addApproval.run(run.number, id, run.attempt, body, now)
          const waits = statements.suspendRun.get(run.number)?.status === 'waiting'
          statements.moveSession.run(now, run.session)
          touch(runId)
          if (waits) afterStop({ statements, touch, now }, runId, run)
          return decisionsOn(statements, runId, run.number, approvals)
        },
        () => holder.release(runId, entry.attempt),
      )
      return decisions
    },

    async decide(runId, decisions, by) {
      return write((statements, touch) => {
        const run = findRun(statements, runId)
        if (!run) throw unknownRun(runId)
        const now = storeTime()
        for (const [approvalId, decision] of Object.entries(decisions)) {
          requireOpen(statements, run, approvalId)
          statements.decide.run(toJSON(decision), by ?? null, now, run.number, approvalId)
        }
        // Nothing is stored then. After a decision that was made before, which says more.
        if (isEnded(run.status)) throw hasEnded(runId)
        touch(runId)
        // A decision is a promise to continue the run.
        statements.makeResumable.run(run.number)
        if (run.status !== 'waiting') return run.status
        return statements.suspendRun.get(run.number)?.status as RunStatus
      })
    },

    async end(runId, ending) {
      const prepared = prepareEntry(ending)
      try {
        await write((statements, touch) => {
          const run = requireHeld(statements, runId, ending.attempt)
          const now = storeTime()
          endRun({ statements, touch, now }, runId, run, ending, () => writeEntry(statements, touch, run, prepared))
        })
      } finally {
        // The run is released even if its end could not be stored: then it counts as lost, and is resumed or settled.
        holder.release(runId, ending.attempt)
      }
    },

    async cancel(runId, ending) {
      return write((statements, touch) => {
        const run = findRun(statements, runId)
        if (!run) throw unknownRun(runId)
        if (isEnded(run.status)) return false
        endRun({ statements, touch, now: storeTime() }, runId, run, ending)
        return true
      })
    },

    async release(runId, attempt) {
      await write(
        (statements, touch) => {
          statements.releaseRun.run(requireOwn(statements, runId, attempt, holder.id).number)
          touch(runId)
        },
        () => holder.release(runId, attempt),
      )
    },

    read: (runId) => read((statements) => readStoredRun(statements, runId)),

    async list(owner, filter) {
      checkSessionKey(owner.userId === undefined ? {} : { userId: owner.userId })
      return read((statements) => listRuns(statements, owner, filter))
    },

    async usage(owner, filter) {
      checkSessionKey(owner.userId === undefined ? {} : { userId: owner.userId })
      return read((statements) => readUsage(statements, owner, filter))
    },

    agents: () => read((statements) => statements.agentsOfRuns.all().map(({ id }) => id as string)),

    events: (runId, after, limit) => read((statements) => readEvents(statements, runId, after, limit)),
    eventRange: (runId) => read((statements) => readEventRange(statements, runId)),
    watch: (runId, listener) => watchers.watch(runId, listener),

    orphans: (agentIds) => read((statements) => findOrphans(access, statements, agentIds)),

    expired: (agentIds, before) =>
      read((statements) => statements.waitingBefore.all(before, toJSON(agentIds)).map((row) => row.run_id as string)),

    prune: (rules) => prune(access, rules),
    size: () => read((statements) => statements.bytesInUse.get()?.bytes as number),
    answers: idempotentAnswers(access),
  }
}

function requireOpen(statements: Statements, run: RunHead, approvalId: string): void {
  const approval = statements.approval.get(run.number, approvalId)
  if (!approval) {
    throw new AgentKitError('not-found', `The run ${run.run_id} has no approval ${approvalId}.`, { runId: run.run_id })
  }
  if (approval.decision === null) return
  const decision = parseStored<Decision>(approval.decision as string, run.run_id, 'decisions')
  throw alreadyDecided(approvalId, decision, approval.decided_at as number, approval.decided_by as string | null)
}

function decisionsOn(
  statements: Statements,
  runId: string,
  number: number,
  approvals: readonly (readonly [id: string, body: string])[],
): Record<string, Decision> {
  const decisions: Record<string, Decision> = {}
  for (const [id] of approvals) {
    const text = statements.approval.get(number, id)?.decision
    if (typeof text === 'string') decisions[id] = parseStored(text, runId, 'decisions')
  }
  return decisions
}

/** Decisions are stored beside it. */
function bodyOf({ decision: _, decidedBy: _by, decidedAt: _at, ...approval }: StoredApproval): string {
  return toJSON(approval)
}

function findOrphans({ holder }: StoreAccess, statements: Statements, agentIds: readonly string[]): OrphanedRun[] {
  const orphans: OrphanedRun[] = []
  for (const row of statements.openRuns.iterate(toJSON(agentIds))) {
    // The statement selects the columns of a head, and the agent.
    const run = row as RunHead & { agent_id: string }
    const lost = isLost(run, holder)
    if (run.holder !== null && !lost) continue
    const { run_id: runId, agent_id: agentId, takeovers } = run
    orphans.push({ runId, agentId, isLost: lost, isResumable: run.is_resumable === 1, takeovers })
    if (orphans.length === 100) break
  }
  return orphans
}
