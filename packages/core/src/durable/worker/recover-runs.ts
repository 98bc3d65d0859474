import type { OrphanedRun, RunStore, StoredRun } from '../../contracts/run-store.ts'
import type { SessionStore } from '../../contracts/session-store.ts'
import { AgentKitError, toErrorInfo } from '../../data/errors.ts'
import { isEnded } from '../../data/run-record.ts'
import { isDiskFull } from '../../data/system-error.ts'
import { limits } from '../../limits.ts'
import type { AgentRun, RunOptions, RunResult } from '../../runs/driver/run.ts'
import { endCrashed } from '../../runs/end-crashed.ts'
import { endExpiredRuns } from '../../runs/expired-runs.ts'
import { onRunFreed } from '../../sessions/freed-runs.ts'
import { isAcquired, isLive } from '../../sessions/live-runs.ts'
import { usedSoFar } from '../../sessions/recorded-data.ts'
import { limitConcurrency } from '../../util/async/concurrency.ts'
import { spentSince } from '../usage/spent-since.ts'
import type { OnSettled } from './run-job.ts'

/** An agent whose stored runs can be continued. */
export type RecoverableAgent = {
  readonly id: string
  readonly sessions: SessionStore
  continueRun(runId: string, options?: Pick<RunOptions, 'signal'>): AgentRun<unknown>
  /** With the store itself, and how long approvals can be decided, in milliseconds. */
  toSpec(): { readonly sessions: SessionStore; readonly approvalMs: number }
}

export type RecoveryOptions = {
  /** Ends the search. Runs that were already continued are not stopped. */
  signal: AbortSignal
  /** Called with what a store throws, and with the error of a run that could not be continued; it is tried again. */
  onError?(error: unknown): void
  /** Runs that are continued at once; 8 when absent. */
  concurrency?: number
  /**
   * Called with a run that has ended here, or waits, with what it has used here, and with one that is ended as `crashed`:
   * for a log.
   */
  onSettled?: OnSettled
  /**
   * Waits for a place among all runs of the process.
   * @param userId absent where the run could not be read
   * @returns releases it
   */
  enter?(runId: string, userId?: string): Promise<() => void>
}

export type Recovery = {
  /** Searches now: a decision was stored. */
  wake(): void
  /** Resolves when the search has ended, and each run that it has continued. */
  readonly ended: Promise<void>
}

/**
 * Continues the stored runs of these agents that no process has: those whose process died, was stopped or was released,
 * and those whose approvals are decided. A run that is not resumable ends as `failed`, code `crashed`, and so does one with
 * which too many processes have died. Runs whose approvals have expired end as `failed`, code `approval`. It searches at once,
 * every 5 s, and when a decision of this process leaves none open.
 *
 * @example
 * const recovery = recoverRuns([agent], { signal: stopped.signal, onError: console.error })
 */
export function recoverRuns(agents: readonly RecoverableAgent[], options: RecoveryOptions): Recovery {
  const { signal, onError = () => {}, concurrency = 8, enter = async () => () => {}, onSettled } = options
  const inTurn = limitConcurrency(concurrency)
  const continuing = new Map<string, Promise<void>>()
  /** When a run that may end its process may begin, by `performance.now()`. */
  const notBefore = new Map<string, number>()
  /** How often a run could not be read back. */
  const failures = new Map<string, number>()
  let isAlone = false
  let wake = (): void => {}
  let isAwake = false

  const continueOne = async (agent: RecoverableAgent, runId: string): Promise<void> => {
    const before = await storedOf(agent, runId)
    const leave = await enter(runId, before?.record.userId)
    try {
      if (signal.aborted) return
      // If another process was faster, or its session is busy, it is found again or has ended.
      const result = await agent.continueRun(runId).result
      await endUnreadable(agent, runId, result.error)
      if (before && result.error?.code !== 'session-conflict') await report(agent, before, result)
    } finally {
      leave()
    }
  }
  const report = async (agent: RecoverableAgent, before: StoredRun, result: RunResult): Promise<void> => {
    const { runId, agentId, userId } = before.record
    const { status } = (await storedOf(agent, runId))?.record ?? {}
    // Otherwise it continues elsewhere, or later.
    if (status && (isEnded(status) || status === 'waiting'))
      onSettled?.({ runId, agentId, userId }, spentSince(usedSoFar(before), result), result)
  }
  /** A run that cannot be read back fails, so that its owner sees it and its session is free. */
  const endUnreadable = async ({ sessions }: RecoverableAgent, runId: string, error?: AgentKitError): Promise<void> => {
    const isUnreadable = error?.code === 'storage' && !error.retryable && !isDiskFull(error)
    const times = isUnreadable ? (failures.get(runId) ?? 0) + 1 : 0
    failures.delete(runId)
    if (!error || times === 0) return
    if (times < limits.jobAttempts) failures.set(runId, times)
    else await sessions.runs?.cancel(runId, { status: 'failed', finishReason: 'error', error: toErrorInfo(error) })
  }
  const start = (runId: string, work: () => Promise<void>): void => {
    const running = inTurn(work).catch(onError)
    continuing.set(
      runId,
      running.finally(() => continuing.delete(runId)),
    )
  }
  const startAlone = (agent: RecoverableAgent, { runId, takeovers }: OrphanedRun): number | undefined => {
    const now = performance.now()
    const at = notBefore.get(runId) ?? now + (limits.poisonDelaysMs[takeovers + 1 - limits.poisonFrom] ?? 0)
    notBefore.set(runId, at)
    if (now < at) return at - now
    if (isAlone) return undefined
    isAlone = true
    notBefore.delete(runId)
    start(runId, () =>
      continueOne(agent, runId).finally(() => {
        isAlone = false
      }),
    )
    return undefined
  }
  /** @returns after how many milliseconds a run may begin that may not begin yet */
  const look = async (runs: RunStore, own: readonly RecoverableAgent[]): Promise<number | undefined> => {
    let soonest: number | undefined
    for (const agent of own) {
      const { sessions, approvalMs } = agent.toSpec()
      await endExpiredRuns(sessions, agent.id, approvalMs)
    }
    for (const orphan of await runs.orphans(own.map(({ id }) => id))) {
      const { runId, isLost, isResumable, takeovers } = orphan
      const agent = own.find(({ id }) => id === orphan.agentId)
      if (!agent || continuing.has(runId)) continue
      const { sessions } = agent.toSpec()
      // A caller of `resume` takes it over, or it waits here and continues by itself.
      if (isAcquired(sessions, runId) || (!isLost && isLive(sessions, runId))) continue
      if (isLost && !isResumable) {
        start(runId, () => endLost(agent, runId, () => settle(agent.sessions, runs, runId), onSettled))
      } else if (isLost && takeovers + 1 >= limits.poisonEnds) {
        start(runId, () => endLost(agent, runId, () => endCrashed(agent.sessions, runId), onSettled))
      } else if (isLost && takeovers + 1 >= limits.poisonFrom) {
        const wait = startAlone(agent, orphan)
        if (wait !== undefined) soonest = Math.min(soonest ?? wait, wait)
      } else start(runId, () => continueOne(agent, runId))
    }
    return soonest
  }
  const search = async (): Promise<void> => {
    while (!signal.aborted) {
      isAwake = false
      let waitMs: number = limits.recoveryMs
      for (const [runs, own] of byStore(agents)) {
        const soonest = await look(runs, own).catch(onError)
        if (soonest !== undefined) waitMs = Math.min(waitMs, soonest)
      }
      if (isAwake) continue
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
  const wakeUp = (): void => {
    isAwake = true
    wake()
  }
  signal.addEventListener('abort', wakeUp)
  const stopListening = agents.map((agent) => onRunFreed(agent.toSpec().sessions, wakeUp))
  const ended = search().then(async () => {
    signal.removeEventListener('abort', wakeUp)
    for (const stop of stopListening) stop()
    await Promise.allSettled(continuing.values())
  })
  return { wake: wakeUp, ended }
}

/** Ends a run that is not continued, and reports it. */
async function endLost(
  agent: RecoverableAgent,
  runId: string,
  end: () => Promise<void>,
  onSettled: OnSettled | undefined,
): Promise<void> {
  const before = (await storedOf(agent, runId))?.record
  await end()
  const { status, error, usage, cost } = (await storedOf(agent, runId))?.record ?? {}
  // Otherwise another process has it, or has ended it.
  if (before?.status !== 'running' || status !== 'failed' || error?.code !== 'crashed') return
  const { agentId, userId } = before
  const { code, message, ...details } = error
  const failure = new AgentKitError(code, message, { ...details, runId })
  const used = { ...(usage && { usage }), ...(cost && { cost }) }
  onSettled?.({ runId, agentId, userId }, { usage: {} }, { runId, finishReason: 'error', error: failure, ...used })
}

/** @returns `undefined` also where a store fails: the run itself says so */
async function storedOf({ sessions }: RecoverableAgent, runId: string): Promise<StoredRun | undefined> {
  return sessions.runs?.read(runId).catch(() => undefined)
}

/** `load` settles a lost run that is not resumable. */
async function settle(store: SessionStore, runs: RunStore, runId: string): Promise<void> {
  const stored = await runs.read(runId)
  if (stored) await store.load(stored.key)
}

function byStore(agents: readonly RecoverableAgent[]): Map<RunStore, RecoverableAgent[]> {
  const stores = new Map<RunStore, RecoverableAgent[]>()
  for (const agent of agents) {
    const { runs } = agent.sessions
    if (runs) stores.set(runs, [...(stores.get(runs) ?? []), agent])
  }
  return stores
}
