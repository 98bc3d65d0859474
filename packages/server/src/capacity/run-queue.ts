import { ProblemError } from '../answer/problem.ts'
import type { Limits } from '../limits.ts'

/**
 * Bounds the runs of a server: `runs` at once; `queuedRuns` more wait. Users take turns, and the runs of one user start in
 * their order. A user has at most `userRuns` at once, and `userQueuedRuns` that wait.
 */
export interface RunQueue {
  /**
   * Waits for a place.
   *
   * @param signal leaves the queue when it aborts
   * @param entry.userId the user whose limits apply; without one, the limits of the server alone
   * @param entry.timeoutMs the longest wait; default none
   * @returns releases the place; to be called when the run has settled
   * @throws ProblemError `rate-limit` when the user's queue is full; `overloaded` when the server's is, or no place is free
   *   before `signal` aborts or the time is up
   */
  enter(signal: AbortSignal, entry?: QueueEntry): Promise<() => void>
  /** Takes a place that is free and that no queued run may take. @returns leaves it; `undefined` when there is none */
  tryEnter(): (() => void) | undefined
  /** Calls `listener` when such a place becomes free. @returns stops it */
  onFree(listener: () => void): () => void
  /** The problem of a request that exceeds a limit; `Retry-After` is the estimated time until the queue is empty. */
  overloaded(detail: string, headers?: Record<string, string>): ProblemError
  /** Refuses the queued runs, and all later ones. */
  close(): void
  readonly isClosed: boolean
  /** Places that are taken. */
  readonly running: number
  /** Runs that wait for one. */
  readonly queued: number
  /** Places that are free and that no queued run may take. */
  readonly free: number
  /** Resolves when every place is free. */
  idle(): Promise<void>
}

export type QueueEntry = { userId?: string | undefined; timeoutMs?: number }
export type QueueLimits = Pick<Limits, 'runs' | 'queuedRuns' | 'userRuns' | 'userQueuedRuns'>

type Waiting = { admit(): void; refuse(problem: ProblemError): void }
/** The runs of one user; of all users, where none is named. */
type User = { id: string | undefined; most: number; running: number; waiting: Set<Waiting> }

/** Weight of the latest run in the average duration of runs. */
const weight = 1 / 8
/** While a server refuses requests, it logs one of them in this many milliseconds. */
const logEveryMs = 10_000

export function createRunQueue({ runs, queuedRuns, userRuns, userQueuedRuns }: QueueLimits): RunQueue {
  const users = new Map<string | undefined, User>()
  // Users with waiting runs, the one whose turn is next first. A Set keeps the order of its entries.
  const turns = new Set<User>()
  const idleWaiters: (() => void)[] = []
  const freeListeners = new Set<() => void>()
  let running = 0
  let queued = 0
  let averageMs = 0
  let closed = false
  let loggedAt = Number.NEGATIVE_INFINITY
  // One user never takes all places.
  const mostOfUser = Math.min(userRuns, Math.max(1, runs - 1))

  const userOf = (id: string | undefined): User => {
    const known = users.get(id)
    if (known) return known
    const user: User = { id, most: id === undefined ? runs : mostOfUser, running: 0, waiting: new Set() }
    users.set(id, user)
    return user
  }

  const forget = (user: User): void => {
    if (user.waiting.size === 0) turns.delete(user)
    if (user.running === 0 && user.waiting.size === 0) users.delete(user.id)
  }

  const take = (user: User): (() => void) => {
    running++
    user.running++
    const startedAt = performance.now()
    let taken = true
    return () => {
      if (!taken) return
      taken = false
      running--
      user.running--
      const tookMs = performance.now() - startedAt
      averageMs = averageMs === 0 ? tookMs : averageMs + (tookMs - averageMs) * weight
      admitNext()
      forget(user)
      if (running === 0) for (const resolve of idleWaiters.splice(0)) resolve()
      if (freePlaces() > 0) for (const listener of freeListeners) listener()
    }
  }

  /** Gives a free place to the next user who may take one, for the first of their waiting runs. */
  const admitNext = (): void => {
    if (running >= runs) return
    for (const user of turns) {
      if (user.running >= user.most) continue
      turns.delete(user)
      turns.add(user)
      const [next] = user.waiting
      next?.admit()
      return
    }
  }

  /**
   * Runs that wait although a place is free belong to users who may take no more places. No place is free while the
   * server stops.
   */
  const freePlaces = (): number => (closed ? 0 : runs - running)

  const secondsFor = (ahead: number, places: number): number =>
    Math.max(1, Math.ceil(((ahead + 1) * averageMs) / places / 1000))

  const refusal = (detail: string, quiet: boolean, headers?: Record<string, string>): ProblemError =>
    new ProblemError('overloaded', {
      detail,
      headers: { ...headers, 'retry-after': String(secondsFor(queued, runs)) },
      quiet,
    })

  const overloaded = (detail: string, headers?: Record<string, string>): ProblemError => {
    const now = performance.now()
    const quiet = now - loggedAt < logEveryMs
    if (!quiet) loggedAt = now
    return refusal(detail, quiet, headers)
  }

  const checkRoom = (user: User): void => {
    const { waiting, most } = user
    const isLimited = user.running >= most || waiting.size > 0
    if (user.id !== undefined && isLimited && waiting.size >= userQueuedRuns) {
      throw tooManyRuns(user, secondsFor(waiting.size, most))
    }
    if (queued < queuedRuns) return
    throw overloaded(`${runs} runs are active and ${queued} wait, which is the limit.`)
  }

  return {
    async enter(signal, { userId, timeoutMs } = {}) {
      if (closed) throw overloaded(shuttingDown, { connection: 'close' })
      const user = userOf(userId)
      // While a place is free, the users of all waiting runs have as many places as they may have.
      if (running < runs && user.running < user.most) return take(user)
      try {
        checkRoom(user)
      } catch (problem) {
        forget(user)
        throw problem
      }
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          if (user.waiting.delete(waiting)) queued--
          clearTimeout(timer)
          signal.removeEventListener('abort', onAbort)
        }
        const waiting: Waiting = {
          admit() {
            leave()
            resolve(take(user))
            forget(user)
          },
          refuse(problem) {
            leave()
            forget(user)
            reject(problem)
          },
        }
        // The caller has left: this refusal is not logged, and another one may be.
        const onAbort = (): void => waiting.refuse(refusal(noPlace, true))
        const onTimeout = (): void => waiting.refuse(overloaded(noPlace))
        const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, timeoutMs)
        signal.addEventListener('abort', onAbort, { once: true })
        user.waiting.add(waiting)
        turns.add(user)
        queued++
        if (signal.aborted) onAbort()
      })
    },

    tryEnter() {
      return freePlaces() > 0 ? take(userOf(undefined)) : undefined
    },

    onFree(listener) {
      freeListeners.add(listener)
      return () => void freeListeners.delete(listener)
    },

    overloaded,

    close() {
      closed = true
      for (const { waiting } of [...turns])
        for (const one of waiting) one.refuse(overloaded(shuttingDown, { connection: 'close' }))
    },

    get isClosed() {
      return closed
    },

    get running() {
      return running
    },

    get queued() {
      return queued
    },

    get free() {
      return freePlaces()
    },

    async idle() {
      if (running > 0) await new Promise<void>((resolve) => idleWaiters.push(resolve))
    },
  }
}

const noPlace = 'The run did not get a place in time.'
const shuttingDown = 'The server is shutting down.'

/**
 * The problem of a user at their limit, while other users may have places. It has the headers of the draft and of its
 * earlier versions.
 */
function tooManyRuns({ running, waiting, most }: User, seconds: number): ProblemError {
  return new ProblemError('rate-limit', {
    status: 429,
    title: 'Too many runs',
    detail: `${running} runs of this user are active and ${waiting.size} wait, which is the limit of one user.`,
    headers: {
      'retry-after': String(seconds),
      'ratelimit-policy': `"user-runs";q=${most};qu="concurrent-requests"`,
      ratelimit: `"user-runs";r=0;t=${seconds}`,
      'ratelimit-limit': String(most),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(seconds),
    },
  })
}
