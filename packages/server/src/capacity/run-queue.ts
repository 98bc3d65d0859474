import type { ProblemError } from '../answer/problem.ts'
import type { Limits } from '../limits.ts'
import { QueueRefusals } from './queue-refusals.ts'

export type QueueEntry = {
  userId?: string | undefined
  timeoutMs?: number
  /** Called when the run has to wait, with what refuses it. @returns called when it waits no longer */
  onWait?: ((refuse: (reason: Error) => void) => () => void) | undefined
}
export type QueueLimits = Pick<Limits, 'runs' | 'queuedRuns' | 'userRuns' | 'userQueuedRuns'>

type Waiting = { admit(): void; refuse(reason: Error): void }
/** The runs of one user; of all users, where none is named. */
type User = { id: string | undefined; most: number; running: number; waiting: Set<Waiting> }

/**
 * Bounds the runs of a server: `runs` at once; `queuedRuns` more wait. Users take turns, and the runs of one user start in
 * their order. A user has at most `userRuns` at once, and `userQueuedRuns` that wait.
 */
export class RunQueue {
  readonly #limits: QueueLimits
  readonly #refusals: QueueRefusals
  readonly #users = new Map<string | undefined, User>()
  // Users with waiting runs, the one whose turn is next first. A Set keeps the order of its entries.
  readonly #turns = new Set<User>()
  readonly #idleWaiters: (() => void)[] = []
  readonly #freeListeners = new Set<() => void>()
  #running = 0
  #queued = 0
  #isClosed = false

  constructor(limits: QueueLimits) {
    this.#limits = limits
    this.#refusals = new QueueRefusals(limits.runs)
  }

  /**
   * Waits for a place.
   *
   * @param signal leaves the queue when it aborts
   * @param entry.userId the user whose limits apply; without one, the limits of the server alone
   * @param entry.timeoutMs the longest wait; default none
   * @param entry.onWait lets the caller refuse the run while it waits
   * @returns releases the place; to be called when the run has settled
   * @throws ProblemError `rate-limit` when the user's queue is full; `overloaded` when the server's is, or no place is free
   *   before `signal` aborts or the time is up
   */
  async enter(signal: AbortSignal, { userId, ...waiting }: QueueEntry = {}): Promise<() => void> {
    if (this.#isClosed) throw this.overloaded(shuttingDown, { connection: 'close' })
    const user = this.#userOf(userId)
    // While a place is free, the users of all waiting runs have as many places as they may have.
    if (this.#running < this.#limits.runs && user.running < user.most) return this.#take(user)
    try {
      this.#checkRoom(user)
    } catch (problem) {
      this.#forget(user)
      throw problem
    }
    return this.#wait(user, signal, waiting)
  }

  /** Takes a place that is free and that no queued run may take. @returns leaves it; `undefined` when there is none */
  tryEnter(): (() => void) | undefined {
    return this.free > 0 ? this.#take(this.#userOf(undefined)) : undefined
  }

  /** Calls `listener` when such a place becomes free. @returns stops it */
  onFree(listener: () => void): () => void {
    this.#freeListeners.add(listener)
    return () => void this.#freeListeners.delete(listener)
  }

  /** The problem of a request that exceeds a limit; `Retry-After` is the estimated time until the queue is empty. */
  overloaded(detail: string, headers?: Record<string, string>): ProblemError {
    return this.#refusals.overloaded(this.#queued, detail, headers)
  }

  /** Refuses the queued runs, and all later ones. */
  close(): void {
    this.#isClosed = true
    for (const { waiting } of [...this.#turns])
      for (const one of waiting) one.refuse(this.overloaded(shuttingDown, { connection: 'close' }))
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Places that are taken. */
  get running(): number {
    return this.#running
  }

  /** Runs that wait for one. */
  get queued(): number {
    return this.#queued
  }

  /**
   * Places that are free and that no queued run may take: runs that wait although a place is free belong to users who may
   * take no more places. No place is free while the server stops.
   */
  get free(): number {
    return this.#isClosed ? 0 : this.#limits.runs - this.#running
  }

  /** Resolves when every place is free. */
  async idle(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve))
  }

  #wait(user: User, signal: AbortSignal, { timeoutMs, onWait }: Omit<QueueEntry, 'userId'>): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        if (user.waiting.delete(waiting)) this.#queued--
        clearTimeout(timer)
        stop?.()
        signal.removeEventListener('abort', onAbort)
      }
      const waiting: Waiting = {
        admit: () => {
          leave()
          resolve(this.#take(user))
          this.#forget(user)
        },
        refuse: (reason) => {
          leave()
          this.#forget(user)
          reject(reason)
        },
      }
      // The caller has left: this refusal is not logged, and another one may be.
      const onAbort = (): void => waiting.refuse(this.#refusals.quietlyOverloaded(this.#queued, noPlace))
      const onTimeout = (): void => waiting.refuse(this.overloaded(noPlace))
      const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, timeoutMs)
      const stop = onWait?.(waiting.refuse)
      signal.addEventListener('abort', onAbort, { once: true })
      user.waiting.add(waiting)
      this.#turns.add(user)
      this.#queued++
      if (signal.aborted) onAbort()
    })
  }

  #take(user: User): () => void {
    this.#running++
    user.running++
    const startedAt = performance.now()
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#release(user, performance.now() - startedAt)
    }
  }

  #release(user: User, tookMs: number): void {
    this.#running--
    user.running--
    this.#refusals.record(tookMs)
    this.#admitNext()
    this.#forget(user)
    if (this.#running === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve()
    if (this.free > 0) for (const listener of this.#freeListeners) listener()
  }

  /** Gives a free place to the next user who may take one, for the first of their waiting runs. */
  #admitNext(): void {
    if (this.#running >= this.#limits.runs) return
    for (const user of this.#turns) {
      if (user.running >= user.most) continue
      this.#turns.delete(user)
      this.#turns.add(user)
      const [next] = user.waiting
      next?.admit()
      return
    }
  }

  #checkRoom(user: User): void {
    const { runs, queuedRuns, userQueuedRuns } = this.#limits
    const { id, running, most } = user
    const waiting = user.waiting.size
    const isLimited = running >= most || waiting > 0
    if (id !== undefined && isLimited && waiting >= userQueuedRuns) {
      throw this.#refusals.tooManyRuns({ running, waiting, most })
    }
    if (this.#queued < queuedRuns) return
    throw this.overloaded(`${runs} runs are active and ${this.#queued} wait, which is the limit.`)
  }

  #userOf(id: string | undefined): User {
    const known = this.#users.get(id)
    if (known) return known
    const { runs, userRuns } = this.#limits
    // One user never takes all places.
    const most = id === undefined ? runs : Math.min(userRuns, Math.max(1, runs - 1))
    const user: User = { id, most, running: 0, waiting: new Set() }
    this.#users.set(id, user)
    return user
  }

  #forget(user: User): void {
    if (user.waiting.size === 0) this.#turns.delete(user)
    if (user.running === 0 && user.waiting.size === 0) this.#users.delete(user.id)
  }
}

const noPlace = 'The run did not get a place in time.'
const shuttingDown = 'The server is shutting down.'
