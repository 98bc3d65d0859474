import type { RunQueue, TakenJob } from '../../contracts/run-queue.ts'
import { limits } from '../../limits.ts'
import { settledWithin } from '../../util/async/abort.ts'
import { repeat } from '../../util/async/repeat.ts'
import type { JobOutcome } from './run-job.ts'
import type { WorkerPlaces } from './worker-options.ts'

export type DispatchOptions = {
  queue: RunQueue
  agentIds: readonly string[]
  concurrency: number
  perUser: number
  /** Places that other runs of the process take too. */
  places?: WorkerPlaces
  /** Runs a job. */
  run(job: TakenJob): Promise<JobOutcome>
  /** Stops runs, which are handed back, each at the end of its step or within this time. */
  handBack(runIds: readonly string[], withinMs: number): Promise<void>
  onError(error: unknown): void
}

export type Dispatcher = {
  /** Looks for jobs now. */
  wake(): void
  /** The jobs that it has. */
  readonly jobs: readonly TakenJob[]
  /** Takes no more jobs, gives the runs time to end, and hands the others back. */
  close(): Promise<void>
}

/**
 * Takes jobs from a queue for all places that are free: when jobs may be there, when a run has ended and the queue knows it, and
 * at least once a second. It keeps the jobs that it has. The run of a job that it has lost is handed back after its step, and gets a new job
 * then: the queue was built again, or another worker has the job, whose run the store does not give to two.
 */
export function dispatch({
  queue,
  agentIds,
  concurrency,
  perUser,
  places,
  run,
  handBack,
  onError,
}: DispatchOptions): Dispatcher {
  const active = new Map<TakenJob, Promise<void>>()
  const lost = new Set<TakenJob>()
  /** Jobs whose runs have ended, which the queue does not know yet. As many as there are places hold none. */
  let ending = 0
  const freePlaces = (): number =>
    Math.min(concurrency - active.size + Math.min(ending, concurrency), places?.free() ?? concurrency)
  let isClosed = false
  let taking: Promise<void> | undefined
  let mayHaveMore = false
  let lastTake = Number.NEGATIVE_INFINITY
  let poll: ReturnType<typeof setTimeout> | undefined

  const end = async (job: TakenJob, outcome: JobOutcome): Promise<void> => {
    if (!lost.has(job)) return queue.settle(job, outcome === 'done' ? undefined : outcome)
    const { runId, agentId, userId } = job
    // Without the key of its session, whose order the store knows.
    if (outcome !== 'done' && (await queue.missing([runId])).length > 0) await queue.add([{ runId, agentId, userId }])
  }
  const settle = async (job: TakenJob): Promise<void> => {
    // Failures of a run are stored with it. Only a store or a queue fails here.
    const outcome = await run(job).catch((error: unknown): JobOutcome => {
      onError(error)
      return { afterMs: limits.failedAgainMs }
    })
    ending++
    wake()
    await end(job, outcome).catch(onError)
    ending--
  }
  const start = (job: TakenJob): void => {
    const settled = settle(job).finally(() => {
      active.delete(job)
      lost.delete(job)
      wake()
    })
    active.set(job, settled)
  }
  const take = async (): Promise<void> => {
    while (mayHaveMore && !isClosed) {
      const waitMs = lastTake + limits.takeMs - performance.now()
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
      const free = freePlaces()
      // The end of a run wakes it.
      if (free <= 0 || isClosed) return
      mayHaveMore = false
      lastTake = performance.now()
      const jobs = await queue.take({ agentIds, limit: free, perUser })
      mayHaveMore ||= jobs.length > 0
      // The worker was closed meanwhile: others take them at once.
      if (isClosed) await Promise.all(jobs.map((job) => queue.settle(job, { afterMs: 0 })))
      else for (const job of jobs) start(job)
    }
  }
  const wake = (): void => {
    mayHaveMore = true
    if (taking || isClosed) return
    clearTimeout(poll)
    taking = take()
      .catch(onError)
      .finally(() => {
        taking = undefined
        if (isClosed) return
        if (mayHaveMore && freePlaces() > 0) wake()
        else poll = setTimeout(wake, limits.takePollMs)
      })
  }
  const keep = async (): Promise<void> => {
    if (active.size === 0) return
    try {
      const kept = [...active.keys()].filter((job) => !lost.has(job))
      const tokens = new Set((await queue.keep(kept)).map(({ token }) => token))
      const gone = kept.filter((job) => tokens.has(job.token) && active.has(job))
      for (const job of gone) lost.add(job)
      const runIds = gone.map(({ runId }) => runId)
      // The other jobs are kept meanwhile.
      if (gone.length > 0) void handBack(runIds, limits.drainMs).catch(onError)
    } catch (error) {
      onError(error)
    }
  }
  const keeping = repeat(limits.keepMs, keep, onError)
  const stopListening = queue.onReady(agentIds, wake)
  const stopWaiting = places?.onFree(wake)
  wake()
  return {
    wake,
    get jobs() {
      return [...active.keys()]
    },
    async close() {
      isClosed = true
      clearTimeout(poll)
      stopListening()
      stopWaiting?.()
      const settled = (): Promise<unknown> => Promise.allSettled([...active.values(), taking])
      if (active.size > 0) await settledWithin(limits.drainMs, settled())
      const rest = [...active.keys()].map(({ runId }) => runId)
      if (rest.length > 0) await handBack(rest, 0)
      await settled()
      await keeping.stop()
    },
  }
}
