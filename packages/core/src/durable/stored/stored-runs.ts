import type { RunStore, StoredRun } from '../../contracts/run-store.ts'
import type { SessionStore } from '../../contracts/session-store.ts'
import type { Decisions } from '../../data/approval-data.ts'
import { checkId, checkSessionKey } from '../../data/check-id.ts'
import { AgentKitError, invalidArgument } from '../../data/errors.ts'
import { isEnded, type RunRecord } from '../../data/run-record.ts'
import { checkResults, type ResultOwner } from '../../runs/decisions/check-results.ts'
import { checkDecisions, copyDecisions, requireApprovals } from '../../runs/decisions/decisions.ts'
import type { RunFilter } from '../../runs/driver/run.ts'
import { endExpiredRuns, expiryOf } from '../../runs/expired-runs.ts'
import { hasMembersThatWait, treeSpent, withWaitingMembers } from '../../runs/tree-spent.ts'
import { cancelled, withEndEvent } from '../../sessions/end-event.ts'
import { reportRunFreed } from '../../sessions/freed-runs.ts'
import { cancelLive } from '../../sessions/live-runs.ts'
import { limitConcurrency } from '../../util/async/concurrency.ts'
import { checkOptions, isId, isOneOf, type OptionRule, type OptionRules } from '../../util/options/check-options.ts'
import { jobOfStored } from '../queue/job-of.ts'

/** The agent whose runs these are. */
export type Owner = {
  agentId: string
  store: SessionStore /** How long approvals can be decided. */
  approvalMs: number
}

/** The agent, as it knows the results of client tools. */
export type DecidingOwner = Owner & { agent: ResultOwner }

/** Whose run a call means, and who calls. */
export type CallOptions = { /** The run's user; any user when absent. */ userId?: string; by?: string }

const callRules = { userId: isId, by: isId } satisfies OptionRules<CallOptions>

/** Stores decisions on approvals of a run, all or none. */
export async function decideRun(
  owner: DecidingOwner,
  runId: string,
  decisions: Decisions,
  options: CallOptions,
): Promise<void> {
  const given = copyDecisions(decisions)
  const runs = runStoreOf(owner)
  checkCall(runId, options, callRules)
  await requireRun(owner, runs, runId, options.userId)
  await endExpiredRuns(owner.store, owner.agentId, owner.approvalMs)
  const stored = await requireRun(owner, runs, runId, options.userId)
  requireApprovals(runId, given, stored.approvals)
  const checked = await checkResults(owner.agent, stored.approvals, checkDecisions(runId, given, stored.approvals))
  const expiry = expiryOf(stored)
  const isDecided = stored.approvals.some(({ approvalId, decision }) => decision !== undefined && checked[approvalId])
  // An earlier decision says more: the store names it.
  if (expiry && !isDecided) throw new AgentKitError('session-conflict', expiry.message, { runId })
  const status = await runs.decide(runId, checked, options.by)
  if (status !== 'running') return
  // The decision is stored: a worker adds the job that cannot be added now.
  if (stored.isBackground) await runs.background?.queue.add([jobOfStored(stored)]).catch(() => {})
  else reportRunFreed(owner.store)
}

/**
 * Ends a run, wherever it is.
 * @param onStopped called where it had begun, and was not in this process
 * @returns false when it had ended
 */
export async function cancelRun(
  owner: Owner,
  runId: string,
  options: Omit<CallOptions, 'by'>,
  onStopped = (): void => {},
): Promise<boolean> {
  const runs = runStoreOf(owner)
  checkCall(runId, options, { userId: isId })
  const stored = await requireRun(owner, runs, runId, options.userId)
  if (isEnded(stored.record.status)) return false
  await cancelLive(owner.store, runId)
  // A run of another process, one that is queued or waits, or one whose end could not be stored.
  // Of a damaged tree its own usage counts.
  const spent = await treeSpent(owner.store, stored).catch(() => ({}))
  const ending = { ...cancelled, ...spent }
  if (await runs.cancel(runId, withEndEvent(stored, ending))) {
    // A worker settles a job that cannot be removed now, or that it has taken meanwhile.
    if (stored.record.status === 'queued') await runs.background?.queue.remove?.([runId]).catch(() => {})
    else onStopped()
    return true
  }
  return (await runs.read(runId))?.record.finishReason === 'aborted'
}

const maxRuns = 1_000
/** Runs of a list whose members are read at once. */
const readsAtOnce = 8
const isLimit: OptionRule = {
  is: `a whole number from 1 to ${maxRuns}`,
  holds: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maxRuns,
}
const filterRules = {
  userId: isId,
  sessionId: isId,
  status: isOneOf(['queued', 'running', 'waiting', 'done', 'failed'] satisfies RunFilter['status'][]),
  limit: isLimit,
  after: isId,
} satisfies OptionRules<RunFilter>

/** The runs of an agent, newest first. */
export async function listRuns(owner: Owner, options: RunFilter): Promise<RunRecord[]> {
  const runs = runStoreOf(owner)
  checkOptions(options, filterRules)
  checkSessionKey(options)
  const { userId, sessionId, status, limit = 50, after } = options
  if (after !== undefined) checkId('after', after)
  const filter = {
    limit,
    ...(sessionId !== undefined && { sessionId }),
    ...(status && { status }),
    ...(after !== undefined && { after }),
  }
  const records = await runs.list({ agentId: owner.agentId, ...(userId !== undefined && { userId }) }, filter)
  const inTurn = limitConcurrency(readsAtOnce)
  return Promise.all(
    records.map((record) => (hasMembersThatWait(record) ? inTurn(() => withMembers(owner, record)) : record)),
  )
}

/** Of a record that cannot be read whole, what the list has of it. */
async function withMembers({ store }: Owner, record: RunRecord): Promise<RunRecord> {
  const stored = await store.runs?.read(record.runId).catch(() => undefined)
  // It may have been decided since.
  if (!stored || !hasMembersThatWait(stored.record)) return record
  const { usage, cost } = (await withWaitingMembers(store, stored)).record
  return { ...record, ...(usage && { usage }), ...(cost && { cost }) }
}

export function checkCall(runId: string, options: CallOptions, rules: OptionRules<Record<string, unknown>>): void {
  if (typeof runId !== 'string' || runId === '') throw invalidArgument('Pass the id of a run.')
  checkId('runId', runId)
  checkOptions(options, rules)
  checkSessionKey(options)
  if (options.by !== undefined) checkId('by', options.by)
}

export function runStoreOf({ store: { runs } }: Owner): RunStore {
  if (runs) return runs
  throw new AgentKitError('unsupported', 'Runs need sessions on disk or Postgres, such as `sessions: "sessions.db"`.')
}

/** @throws AgentKitError `not-found` for a run of another agent or user, as for an unknown one */
export async function requireRun(
  { agentId }: Owner,
  runs: Pick<RunStore, 'read'>,
  runId: string,
  userId: string | undefined,
): Promise<StoredRun> {
  const stored = await runs.read(runId)
  const isOwn = stored?.record.agentId === agentId && (userId === undefined || stored.record.userId === userId)
  if (stored && isOwn) return stored
  throw new AgentKitError('not-found', `There is no run ${runId} of this agent and user.`, { runId })
}
