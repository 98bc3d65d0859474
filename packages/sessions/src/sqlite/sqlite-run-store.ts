import {
  type AgentEvent,
  AgentKitError,
  checkSessionKey,
  type Decision,
  type OrphanedRun,
  type RunEnding,
  type RunStatus,
  type RunStore,
  type StoredApproval,
  type StoredRun,
} from '@agentkit/core'
import { alreadyDecided, conflict, hasEnded, sessionHeld, sessionMoved, unknownRun } from '../util/conflicts.ts'
import { jsonOrNull, parseStored, toJSON } from '../util/json.ts'
import { beginRun, isLost, settleLostRun, type Writing } from './begin-run.ts'
import { idempotentAnswers } from './idempotent-answers.ts'
import { listRuns } from './list-runs.ts'
import { prune } from './prune.ts'
import { findActive, findRun, type RunHead } from './rows.ts'
import { readStoredRun } from './run-rows.ts'
import type { Statements } from './statements.ts'
import type { StoreAccess } from './store-access.ts'
import { hasOnlyEvents, prepareEntry, requireHeld, requireLatest, writeEntry } from './write-entry.ts'

/** The part of a SQLite store that lets runs outlive their process. */
export function sqliteRunStore(access: StoreAccess): RunStore {
  const { holder, watchers, read, write } = access

  return {
    now: () => Date.now(),

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
      }
      const toBegin = { key, runId, expectedVersion, input, bodies, replaces, mayBeginAgain: false, columns }
      const outcome = await write(
        (statements, touch) => beginRun({ statements, touch, holder, now: Date.now() }, toBegin),
        (attempt) => {
          if (typeof attempt === 'number') holder.hold(runId, attempt)
        },
      )
      if (typeof outcome !== 'number') throw outcome
    },

    async takeOver(runId, { expectedVersion }) {
      const outcome = await write(
        (statements, touch) => {
          const writing = { statements, touch, holder, now: Date.now() }
          return takeOver(writing, runId, expectedVersion)
        },
        (stored) => {
          if ('attempt' in stored) holder.hold(runId, stored.attempt)
        },
      )
      if (!('attempt' in outcome)) throw outcome
      return outcome
    },

    async append(runId, entry) {
      const prepared = prepareEntry(entry)
      await write((statements, touch) => {
        const find = hasOnlyEvents(prepared) ? requireLatest : requireHeld
        writeEntry(statements, find(statements, runId, entry.attempt), prepared)
        touch(runId)
      })
    },

    async suspend(runId, entry) {
      const prepared = prepareEntry(entry)
      const approvals = entry.approvals.map((approval) => [approval.approvalId, bodyOf(approval)] as const)
      const decisions = await write(
        (statements, touch) => {
          const run = requireHeld(statements, runId, entry.attempt)
          const now = Date.now()
          writeEntry(statements, run, prepared)
          for (const [id, body] of approvals) statements.addApproval.run(run.number, id, run.attempt, body, now)
          statements.suspendRun.run(run.number)
          statements.moveSession.run(now, run.session)
          touch(runId)
          return decisionsOn(statements, runId, run.number, approvals)
        },
        () => holder.letGo(runId, entry.attempt),
      )
      return decisions
    },

    async decide(runId, decisions, by) {
      return write((statements, touch) => {
        const run = findRun(statements, runId)
        if (!run) throw unknownRun(runId)
        if (run.status === 'done' || run.status === 'failed') throw hasEnded(runId)
        const now = Date.now()
        for (const [approvalId, decision] of Object.entries(decisions)) {
          requireOpen(statements, run, approvalId)
          statements.decide.run(toJSON(decision), by ?? null, now, run.number, approvalId)
        }
        touch(runId)
        // A decision is a promise to continue the run.
        statements.makeResumable.run(run.number)
        if (run.status !== 'waiting') return run.status
        return statements.suspendRun.get(run.number)?.status as RunStatus
      })
    },

    async end(runId, ending) {
      const prepared = prepareEntry(ending)
      const columns = endingColumns(ending)
      try {
        await write((statements, touch) => {
          const run = requireHeld(statements, runId, ending.attempt)
          const now = Date.now()
          writeEntry(statements, run, prepared)
          statements.endRun.run({ ...columns, number: run.number, now })
          statements.moveSession.run(now, run.session)
          touch(runId)
        })
      } finally {
        // Also if it could not be stored: the run is lost then, and resumed or settled as such.
        holder.letGo(runId, ending.attempt)
      }
    },

    async cancel(runId, ending) {
      const columns = endingColumns(ending)
      return write((statements, touch) => {
        const run = findRun(statements, runId)
        if (!run) throw unknownRun(runId)
        if (run.status === 'done' || run.status === 'failed') return false
        const now = Date.now()
        statements.endRun.run({ ...columns, number: run.number, now })
        statements.moveSession.run(now, run.session)
        touch(runId)
        return true
      })
    },

    async release(runId, attempt) {
      await write(
        (statements, touch) => {
          statements.releaseRun.run(requireHeld(statements, runId, attempt).number)
          touch(runId)
        },
        () => holder.letGo(runId, attempt),
      )
    },

    read: (runId) => read((statements) => readStoredRun(statements, runId)),

    async list(owner, filter) {
      checkSessionKey(owner.userId === undefined ? {} : { userId: owner.userId })
      return read((statements) => listRuns(statements, owner, filter))
    },

    agents: () => read((statements) => statements.agentsOfRuns.all().map(({ id }) => id as string)),

    events: (runId, after, limit) =>
      read((statements) => {
        const rows = statements.events.all(runId, after, limit) as { body: string }[]
        return rows.map(({ body }) => parseStored<AgentEvent>(body, runId, 'events'))
      }),

    eventRange: (runId) =>
      read((statements) => {
        // An aggregate has one row, of NULLs where there are no events.
        const range = statements.eventRange.get(runId) as { oldest: number | null; last: number | null }
        return range.oldest === null || range.last === null ? undefined : { oldest: range.oldest, last: range.last }
      }),

    watch: (runId, listener) => watchers.watch(runId, listener),

    orphans: (agentIds) => read((statements) => findOrphans(access, statements, agentIds)),

    expired: (agentIds, before) =>
      read((statements) => statements.waitingBefore.all(before, toJSON(agentIds)).map((row) => row.run_id as string)),

    prune: (rules) => prune(access, rules),
    size: () => read((statements) => statements.bytesInUse.get()?.bytes as number),
    answers: idempotentAnswers(access),
  }
}

/** @returns the run; or the refusal, because throwing it would roll back the settlement of a lost run */
function takeOver(writing: Writing, runId: string, expectedVersion: number): StoredRun | AgentKitError {
  const { statements, touch, holder } = writing
  const run = findRun(statements, runId)
  if (!run) return unknownRun(runId)
  const refusal = refusalToTakeOver(statements, run)
  if (refusal) return refusal
  const isRunning = run.status === 'running' && run.holder !== null
  if (isRunning && !isLost(run, holder)) return conflict(`The run ${runId} is running already.`)

  if (!(run.status === 'running' && run.holds_session)) {
    const refused = acquireSession(writing, run, expectedVersion)
    if (refused) return refused
  }
  statements.takeRun.run(holder.id, isRunning ? 1 : 0, run.number)
  holder.beat(statements)
  touch(runId)
  // It was found above, within this transaction.
  return readStoredRun(statements, runId) as StoredRun
}

function refusalToTakeOver(statements: Statements, { run_id, number, status }: RunHead): AgentKitError | undefined {
  switch (status) {
    case 'done':
    case 'failed':
      return hasEnded(run_id)
    case 'queued':
      return conflict(`The run ${run_id} has not begun.`)
    case 'waiting':
      return statements.isDecided.get(number) ? undefined : conflict(`The run ${run_id} waits for a decision.`)
    case 'running':
      return undefined
  }
}

/** The session for a run that does not hold it. @returns the refusal */
function acquireSession(writing: Writing, run: RunHead, expectedVersion: number): AgentKitError | undefined {
  const { statements, now } = writing
  settleLostRun(writing, run.session)
  if (findActive(statements, run.session)) return sessionHeld()
  if (statements.versionOfSession.get(run.session)?.version !== expectedVersion) return sessionMoved()
  statements.moveSession.run(now, run.session)
  return undefined
}

function requireOpen(statements: Statements, run: RunHead, approvalId: string): void {
  const approval = statements.approval.get(run.number, approvalId)
  if (!approval) {
    throw new AgentKitError('not-found', `The run ${run.run_id} has no approval ${approvalId}.`, { runId: run.run_id })
  }
  if (approval.decision === null) return
  const decision = parseStored<Decision>(approval.decision as string, run.run_id, 'decisions')
  throw alreadyDecided(approvalId, decision, approval.decided_at as number)
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

function endingColumns({ status, finishReason, text, error, cost, sources }: RunEnding): Record<string, string | null> {
  return {
    status,
    finishReason,
    answer: text ?? null,
    error: jsonOrNull(error),
    cost: jsonOrNull(cost),
    sources: jsonOrNull(sources),
  }
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
