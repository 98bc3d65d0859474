import type { RunRecord, RunResult, StoredRun } from '@agentkit/core'
import { reported, spentSince } from '@agentkit/core/internal'
import type { LiveRun } from '../answer/live-events.ts'
import { ProblemError } from '../answer/problem.ts'
import type { Leave } from '../capacity/capacity.ts'
import type { RouteParts } from '../request/parts.ts'
import { runStoreOf } from '../request/run-store.ts'
import { describeError } from '../util/log.ts'
import { logRun } from '../util/log-run.ts'
import { endedElsewhere, wasDeleted } from './ended-elsewhere.ts'

export type Continuation = {
  /**
   * Continues the run, unless another process does.
   * @returns the run, once it has a place; `undefined` while other approvals are open, and where another decision
   *   continues it
   */
  start(): Promise<{ starting: Promise<LiveRun> } | undefined>
  /** Instead of `start`. */
  release(): void
}

/**
 * A place for a run that may continue once a decision is stored: it starts as soon as the place is free.
 * @param requestId of the decision, for the log
 * @throws ProblemError `overloaded` where the server cannot continue it
 */
export async function reserveContinuation(
  parts: RouteParts,
  { record: { runId, userId }, attempt }: StoredRun,
  requestId: string,
): Promise<Continuation> {
  const { agent, capacity, limits, log } = parts
  const left = new AbortController()
  const place = capacity.enter(left.signal, { userId, isContinued: true })
  // A full queue refuses it at once.
  await Promise.race([place, new Promise((turn) => setImmediate(turn))])
  const reservation = capacity.continuations.reserve(runId, attempt)
  const run = async (leave: Leave, before: RunRecord): Promise<LiveRun> => {
    // If another process has taken the run over, the result here has an error, and changes nothing. The same is true if
    // the server stops, and leaves the run to the next server.
    const options = { userId, timeoutMs: limits.backgroundMs, onApproval: 'end' } as const
    const resumed = reported(agent.resume(runId, {}, options))
    const startedAt = performance.now()
    const settle = async (result: RunResult): Promise<void> => {
      const { code } = result.error ?? {}
      const isLeft = code === 'session-conflict' || (code === 'aborted' && capacity.runs.isClosed)
      if (!isLeft && !(await wasDeleted(agent, runId, result.error))) logRun(result, { log, requestId, startedAt })
      // The result counts the whole run. The first part of the run was counted before.
      leave(spentSince(before, result))
    }
    void resumed.result.then(settle, () => leave()).finally(reservation.release)
    return endedElsewhere(parts, resumed, userId)
  }
  const release = (): void => {
    reservation.release()
    left.abort()
    void place.then((leave) => leave(), ignore)
  }
  return {
    release,
    async start() {
      const stored = await runStoreOf(agent)
        .read(runId)
        .catch((error: unknown) => {
          release()
          throw error
        })
      if (stored?.record.status !== 'running' || !reservation.acquire()) {
        release()
        return undefined
      }
      const { record } = stored
      const starting = place.then((leave) => run(leave, record))
      starting.catch((error) => {
        reservation.release()
        // A server that stops leaves the run to the next one.
        if (error instanceof ProblemError) return
        const message = 'A run whose approvals are decided could not be continued.'
        const ids = { request_id: requestId, run_id: runId }
        log({ time: new Date().toISOString(), level: 'error', message, ...ids, error: describeError(error) })
      })
      return { starting }
    },
  }
}

function ignore(): void {}
