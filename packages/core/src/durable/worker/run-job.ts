import type { StoredRun } from '../../contracts/run-store.ts'
import type { SessionStore } from '../../contracts/session-store.ts'
import { AgentKitError, isAgentKitError, messageOf, toErrorInfo } from '../../data/errors.ts'
import { isRecord } from '../../data/message-problem.ts'
import { isEnded } from '../../data/run-record.ts'
import { isDiskFull } from '../../data/system-error.ts'
import { limits } from '../../limits.ts'
import type { AgentRun, RunResult } from '../../runs/driver/run.ts'
import { endCrashed } from '../../runs/end-crashed.ts'
import { endOfTree } from '../../runs/tree-spent.ts'
import { usedSoFar } from '../../sessions/recorded-data.ts'
import { redactSecrets } from '../../util/text/redact.ts'
import type { BackgroundStore } from '../queue/background-of.ts'
import { jobOfStored } from '../queue/job-of.ts'
import type { ContinueOptions } from '../stored/continue-stored.ts'
import type { Spent } from '../usage/daily-usage.ts'
import { spentSince } from '../usage/spent-since.ts'
import { addMissingJobs } from './sweep.ts'

/** What a worker does with a job afterwards: removes it, or has it delivered again. */
export type JobOutcome = 'done' | { afterMs: number }

/**
 * Whether a queued run may begin.
 * @throws AgentKitError why it may not: the run then fails with it; `storage` where that cannot be read: it is tried again
 */
export type Admit = (run: { agentId: string; userId: string; runId: string }) => void | Promise<void>

/**
 * Called with what a run has used in a worker. That of members is in the sum of their outermost run.
 * @param hasSettled whether the run has ended or waits; otherwise it continues elsewhere or later
 */
export type OnSpent = (
  run: { runId: string; agentId: string; userId: string },
  spent: Spent,
  hasSettled: boolean,
) => void

/** Called with a run that has ended, waits or was refused, not with one that continues elsewhere or later: for a log. */
export type OnSettled = (
  run: Parameters<OnSpent>[0] & { /** Of the request that enqueued it. */ requestId?: string },
  spent: Spent,
  result: Settled,
) => void

/** Its usage and cost are those of the whole run. */
type Settled = Pick<RunResult, 'runId' | 'finishReason' | 'error'> & Spent

/** The agent of a job. */
type JobAgent = { readonly id: string; continueRun(runId: string, options?: ContinueOptions): AgentRun }

export type JobRunner = {
  run(agent: JobAgent, runId: string): Promise<JobOutcome>
}

/** Begins and continues runs, one for each job. */
export function jobRunner({
  store,
  runs,
  admit,
  onSpent,
  onSettled,
}: {
  store: SessionStore
  runs: BackgroundStore
  admit?: Admit
  onSpent?: OnSpent
  onSettled?: OnSettled | undefined
}): JobRunner {
  /** Failures to begin or to continue a run, which are not those of the run. */
  const failures = new Map<string, number>()
  let isAlone = false

  const ended = (stored: StoredRun, spent: Spent, result: Settled | undefined): void => {
    const { runId, agentId, userId } = stored.record
    onSpent?.({ runId, agentId, userId }, spent, result !== undefined)
    if (result) onSettled?.({ runId, agentId, userId, ...requestOf(stored) }, spent, result)
  }
  const failed = async (stored: FailedRun, error: AgentKitError): Promise<JobOutcome> => {
    const { runId, agentId, userId, parentRunId } = stored.record
    const outcome = await fail(store, runs, stored, error)
    const settled = { runId, finishReason: 'error', error } as const
    if (parentRunId === undefined) onSettled?.({ runId, agentId, userId, ...requestOf(stored) }, {}, settled)
    return outcome
  }

  const continueOne = async (agent: JobAgent, known: StoredRun): Promise<JobOutcome> => {
    const { record: before } = known
    const { runId, parentRunId } = before
    const result = await agent.continueRun(runId, { known, isDelivered: true }).result
    const { error, finishReason, usage, cost } = result
    // The run has stored its own end, unless its time was over before it could be opened.
    if (finishReason === 'budget' && !(await endUnopened(store, runs, runId))) return { afterMs: limits.busyAgainMs }
    const own = { usage, ...(cost && { cost }) }
    if (!error && finishReason !== 'approval') {
      if (parentRunId === undefined) ended(known, spentSince(usedSoFar(known), own), result)
      return 'done'
    }
    const stored = await runs.read(runId)
    // One that could not be opened has used nothing here: what is stored of it was used elsewhere.
    if (stored && parentRunId === undefined && error?.code !== 'session-busy') {
      const hasEnded = isSettled(stored) && !stored.awaitsMembers
      // What another process has used that has taken it over is counted there.
      const used = error?.code === 'session-conflict' ? own : usedSoFar(stored)
      ended(known, spentSince(usedSoFar(known), used), hasEnded ? settledAs(stored, result) : undefined)
    }
    if (!stored || isSettled(stored)) return 'done'
    // Later, as the run that has its session may need its own job meanwhile.
    if (stored.isFree && isBusy(error)) return { afterMs: limits.busyAgainMs }
    if (stored.isFree && !isFailure(error)) return { afterMs: 0 }
    // The run has begun and failed, and was queued again meanwhile.
    if (stored.record.status === 'queued' && stored.record.attempts > before.attempts) return { afterMs: 0 }
    // Another job of the run has even begun it again.
    if (stored.record.attempts > before.attempts + 1) return { afterMs: limits.elsewhereAgainMs }
    if (error && isFailure(error)) throw error
    return { afterMs: stored.record.status === 'queued' ? limits.busyAgainMs : limits.elsewhereAgainMs }
  }
  /** A run with which processes died starts alone, and later: it may have ended them. */
  const continueAlone = async (agent: JobAgent, stored: StoredRun): Promise<JobOutcome> => {
    if (isAlone) return { afterMs: limits.elsewhereAgainMs }
    isAlone = true
    try {
      const delay = limits.poisonDelaysMs[stored.takeovers + 1 - limits.poisonFrom] ?? 0
      await new Promise((resolve) => setTimeout(resolve, delay))
      return await continueOne(agent, (await runs.read(stored.record.runId)) ?? stored)
    } finally {
      isAlone = false
    }
  }
  const attempt = async (agent: JobAgent, stored: StoredRun): Promise<JobOutcome> => {
    if (isSettled(stored)) return 'done'
    const { record, isFree, takeovers } = stored
    const { runId } = record
    // A member's run is part of one that was admitted.
    if (record.status === 'queued' && record.parentRunId === undefined) {
      const refused = await refusal(admit, stored)
      if (refused) return failed(stored, refused)
    }
    const isLost = record.status === 'running' && !isFree
    if (isLost && takeovers + 1 >= limits.poisonEnds) {
      await endCrashed(store, runId)
      const after = await runs.read(runId)
      return !after || isSettled(after) ? 'done' : { afterMs: limits.elsewhereAgainMs }
    }
    return isLost && takeovers + 1 >= limits.poisonFrom ? continueAlone(agent, stored) : continueOne(agent, stored)
  }
  return {
    async run(agent, runId) {
      try {
        const stored = await runs.read(runId)
        // The process that has left it to its members may have died before it added their jobs.
        if (stored?.awaitsMembers) await addMissingJobs(runs, [agent.id])
        const outcome = stored ? await attempt(agent, stored) : 'done'
        failures.delete(runId)
        if (outcome === 'done') await freeParent(runs, stored?.record.parentRunId)
        return outcome
      } catch (cause) {
        if (isAgentKitError(cause) && (cause.retryable || isDiskFull(cause))) throw cause
        const times = (failures.get(runId) ?? 0) + 1
        failures.set(runId, times)
        if (times < limits.jobAttempts) throw cause
        // A run that can neither begin nor continue fails, so that its owner sees it.
        failures.delete(runId)
        const stored = await runs.read(runId).catch(() => undefined)
        const outcome = await failed(stored ?? unreadable(agent.id, runId), asRunError(cause))
        await freeParent(runs, stored?.record.parentRunId)
        return outcome
      }
    },
  }
}

function requestOf({ options }: Pick<StoredRun, 'options'>): { requestId?: string } {
  const { requestId } = isRecord(options) ? options : {}
  return typeof requestId === 'string' ? { requestId } : {}
}

/**
 * Ends a run whose budget was used up before it could continue.
 * @returns false where it is not given back yet
 */
async function endUnopened(store: SessionStore, runs: BackgroundStore, runId: string): Promise<boolean> {
  const stored = await runs.read(runId)
  if (!stored || isSettled(stored)) return true
  if (!stored.isFree) return false
  await runs.cancel(runId, await endOfTree(store, stored, { status: 'done', finishReason: 'budget' }))
  return true
}

/** Whether a run needs no worker now: it has ended, waits for a person, or for its members. */
function isSettled({ record: { status }, awaitsMembers }: StoredRun): boolean {
  return isEnded(status) || status === 'waiting' || awaitsMembers === true
}

/** How a run has settled. One that was not this process's any more was cancelled, or is reported where it ended. */
function settledAs({ record }: StoredRun, result: RunResult): Settled | undefined {
  if (result.error?.code !== 'session-conflict') return result
  const { runId, finishReason, usage, cost } = record
  return finishReason === 'aborted'
    ? { runId, finishReason, ...(usage && { usage }), ...(cost && { cost }) }
    : undefined
}

/** Whether another run is before one that could not be opened. */
function isBusy(error: AgentKitError | undefined): boolean {
  return error !== undefined && ['session-conflict', 'session-busy'].includes(error.code)
}

/** Whether an error says that the run could not be opened, other than that another one is before it. */
function isFailure(error: AgentKitError | undefined): boolean {
  return error !== undefined && error.code !== 'aborted' && !isBusy(error)
}

async function refusal(admit: Admit | undefined, { record }: StoredRun): Promise<AgentKitError | undefined> {
  const { agentId, userId, runId } = record
  try {
    await admit?.({ agentId, userId, runId })
    return undefined
  } catch (error) {
    // The usage of the user cannot be read: the job is tried again, as where the run cannot be read.
    if (isAgentKitError(error) && error.code === 'storage') throw error
    return asRunError(error)
  }
}

type FailedRun = Pick<StoredRun, 'record' | 'keepsEvents' | 'lastSeq' | 'options' | 'progress' | 'isBackground'>

async function fail(
  store: SessionStore,
  runs: BackgroundStore,
  stored: FailedRun,
  error: AgentKitError,
): Promise<JobOutcome> {
  const ending = { status: 'failed', finishReason: 'error', error: toErrorInfo(error) } as const
  await runs.cancel(stored.record.runId, await endOfTree(store, stored, ending))
  return 'done'
}

/** A run that waits for its members alone continues once they have ended or wait. */
async function freeParent(runs: BackgroundStore, parentRunId: string | undefined): Promise<void> {
  const parent = parentRunId === undefined ? undefined : await runs.read(parentRunId)
  if (parent?.isFree && parent.isBackground) await runs.background.queue.add([jobOfStored(parent)])
}

function unreadable(agentId: string, runId: string): FailedRun {
  const record = {
    runId,
    agentId,
    userId: '',
    status: 'running',
    attempts: 0,
    createdAt: '',
  } as const
  return { record: { ...record, approvals: [], sources: [] }, keepsEvents: false, lastSeq: 0 }
}

function asRunError(thrown: unknown): AgentKitError {
  if (isAgentKitError(thrown)) return thrown
  return new AgentKitError('storage', `The run could not be continued: ${redactSecrets(messageOf(thrown))}`, {
    cause: thrown,
  })
}
