import { type AgentRun, isAgentKitError, type Runnable } from '@agentkit/core'
import { createDailyUsage, type DailyUsage, type Spent } from '@agentkit/core/internal'
import { ProblemError } from '../answer/problem.ts'
import type { Limits } from '../limits.ts'
import { type Continuations, createContinuations } from './continuations.ts'
import { createHeldBytes, type Hold } from './held-bytes.ts'
import { createReaders, type Readers } from './readers.ts'
import { type QueueEntry, RunQueue } from './run-queue.ts'
import { createSessionRuns, type SessionRuns } from './session-runs.ts'
import { createTotals, type Totals } from './totals.ts'

/** The counters and limits that all requests of a server share. */
export type Capacity = {
  runs: RunQueue
  /** Set by the code that starts the server, until it takes runs; `/ready` reports it. */
  isStarting: boolean
  /**
   * Waits for a place for a run, within the limits of the server and of the user.
   *
   * @param signal leaves the queue when it aborts
   * @param entry.userId the user of the run
   * @param entry.sessionId its session: when that is deleted, the run waits no longer
   * @param entry.timeoutMs the longest wait; default none
   * @param entry.isContinued the run has begun before: what its user may use in a day is not checked again
   * @returns a function that releases the place and counts the usage of the run; call it when the run has settled
   * @throws ProblemError `rate-limit` and `budget` (429) for a limit of the user, `overloaded` for one of the server
   * @throws AgentKitError `aborted` when its session is deleted
   */
  enter(signal: AbortSignal, entry: PlaceEntry): Promise<Leave>
  /** @throws AgentKitError `budget` for a user whose runs have used up the day's limit */
  checkBudget(userId: string): Promise<void>
  /** Counts the usage of a run of the user, for the day's limit and for `/metrics`. */
  countRun(userId: string, spent: Spent, hasSettled?: boolean): void
  /** Starts to count the memory of one request. */
  hold(): Hold
  sessionRuns: SessionRuns
  /** Runs that end with the server, because only their clients wait for them. */
  readonly boundRuns: Set<BoundRun>
  readonly readers: Readers
  readonly continuations: Continuations
  totals: Totals
  /** Aborts when the server stops: it follows runs no longer. */
  readonly draining: AbortSignal
  drain(): void
}

/**
 * Cleared when the entry leaves the Set: V8 keeps the entries of a table that a Set has outgrown, and all objects that
 * they refer to.
 */
export type BoundRun = { run: Pick<AgentRun, 'cancel'> | undefined }

type PlaceEntry = Pick<QueueEntry, 'timeoutMs'> & {
  userId: string
  sessionId?: string | undefined
  isContinued?: boolean
}

/** Releases the place of a run. */
export type Leave = (spent?: Spent) => void

/** @param options.hasAuth whether user ids are verified: only then have users places of their own */
export function createCapacity(limits: Limits, agent: Runnable, { hasAuth }: { hasAuth: boolean }): Capacity {
  const runs = new RunQueue(limits)
  const totals = createTotals()
  const sessionRuns = createSessionRuns()
  // Created by the first request: a Worker may not create one while it loads.
  let controller: AbortController | undefined
  const draining = (): AbortController => (controller ??= new AbortController())
  let usage: DailyUsage | undefined
  // Created when it is needed, since an agent may open its store then.
  const daily = (): DailyUsage => (usage ??= createDailyUsage({ limits, agentId: agent.id, runs: agent.sessions.runs }))
  const countRun = (userId: string, spent: Spent, hasSettled?: boolean): void => {
    daily().add(userId, spent)
    totals.countRun(spent, hasSettled)
  }
  return {
    runs,
    isStarting: false,
    async enter(signal, { userId, sessionId, isContinued, ...entry }) {
      if (!isContinued) await daily().check(userId).catch(asSpent)
      const onWait: QueueEntry['onWait'] =
        sessionId === undefined ? undefined : (refuse) => sessionRuns.addWaiting({ userId, sessionId }, refuse)
      const leave = await runs.enter(signal, { ...entry, onWait, ...(hasAuth && { userId }) })
      return (spent) => {
        if (spent) countRun(userId, spent)
        leave()
      }
    },
    checkBudget: (userId) => daily().check(userId),
    countRun,
    hold: createHeldBytes(limits.heldBytes),
    sessionRuns,
    boundRuns: new Set(),
    readers: createReaders(),
    continuations: createContinuations(),
    totals,
    get draining() {
      return draining().signal
    },
    drain: () => draining().abort(),
  }
}

/**
 * Throws the problem of a request whose user has used up a daily limit. Its status differs from that of a run that has
 * used up its budget.
 */
export function asSpent(error: unknown): never {
  if (!isAgentKitError(error) || error.code !== 'budget') throw error
  throw new ProblemError('budget', {
    status: 429,
    title: 'Daily budget used up',
    detail: error.message,
    headers: { 'retry-after': String(Math.max(1, Math.ceil((error.retryAfterMs ?? 0) / 1000))) },
  })
}
