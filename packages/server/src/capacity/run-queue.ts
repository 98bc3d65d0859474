import { ProblemError } from '../answer/problem.ts'
import type { Limits } from '../limits.ts'

/** Bounds the runs of a server: `runs` at once; `queuedRuns` more wait, first come, first served. */
export interface RunQueue {
  /**
   * Waits for a place.
   *
   * @param signal leaves the queue when it aborts
   * @param timeoutMs the longest wait; default none
   * @returns releases the place; to be called when the run has settled
   * @throws ProblemError `overloaded` when the queue is full, or no place is free before `signal` aborts or the time is up
   */
  enter(signal: AbortSignal, timeoutMs?: number): Promise<() => void>
  /** The problem of a request that exceeds a limit; `Retry-After` is the estimated time until the queue is empty. */
  overloaded(detail: string, headers?: Record<string, string>): ProblemError
  /** Refuses the queued runs, and all later ones. */
  close(): void
  /** Resolves when every place is free. */
  idle(): Promise<void>
}

/** Weight of the latest run in the average duration of runs. */
const weight = 1 / 8
/** While a server refuses requests, it logs one of them in this many milliseconds. */
const logEveryMs = 10_000

export function createRunQueue({ runs, queuedRuns }: Pick<Limits, 'runs' | 'queuedRuns'>): RunQueue {
  type Waiting = { admit(): void; refuse(problem: ProblemError): void }
  // A Set keeps the order of its entries and removes one in constant time.
  const queue = new Set<Waiting>()
  const idleWaiters: (() => void)[] = []
  let running = 0
  let averageMs = 0
  let closed = false
  let loggedAt = Number.NEGATIVE_INFINITY

  const take = (): (() => void) => {
    running++
    const startedAt = performance.now()
    let taken = true
    return () => {
      if (!taken) return
      taken = false
      running--
      const tookMs = performance.now() - startedAt
      averageMs = averageMs === 0 ? tookMs : averageMs + (tookMs - averageMs) * weight
      const [next] = queue
      next?.admit()
      if (running === 0) for (const resolve of idleWaiters.splice(0)) resolve()
    }
  }

  const overloaded = (detail: string, headers?: Record<string, string>): ProblemError => {
    const seconds = Math.max(1, Math.ceil(((queue.size + 1) * averageMs) / runs / 1000))
    const now = performance.now()
    const quiet = now - loggedAt < logEveryMs
    if (!quiet) loggedAt = now
    return new ProblemError('overloaded', {
      detail,
      headers: { ...headers, 'retry-after': String(seconds) },
      quiet,
    })
  }

  return {
    async enter(signal, timeoutMs) {
      if (closed) throw overloaded(shuttingDown)
      if (running < runs) return take()
      if (queue.size >= queuedRuns)
        throw overloaded(`${runs} runs are active and ${queue.size} wait, which is the limit.`)
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          queue.delete(waiting)
          clearTimeout(timer)
          signal.removeEventListener('abort', onAbort)
        }
        const waiting: Waiting = {
          admit() {
            leave()
            resolve(take())
          },
          refuse(problem) {
            leave()
            reject(problem)
          },
        }
        const onAbort = (): void => waiting.refuse(overloaded('The run did not get a place in time.'))
        const timer = timeoutMs === undefined ? undefined : setTimeout(onAbort, timeoutMs)
        signal.addEventListener('abort', onAbort, { once: true })
        queue.add(waiting)
        if (signal.aborted) onAbort()
      })
    },

    overloaded,

    close() {
      closed = true
      for (const waiting of queue) waiting.refuse(overloaded(shuttingDown))
    },

    async idle() {
      if (running > 0) await new Promise<void>((resolve) => idleWaiters.push(resolve))
    },
  }
}

const shuttingDown = 'The server is shutting down.'
