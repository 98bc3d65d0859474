import type { RunQueue, TakenJob } from '../contracts/run-queue.ts'
import { limits } from '../limits.ts'
import { settledWithin } from '../util/abort.ts'
import type { JobOutcome } from './run-job.ts'

export type DispatchOptions = {
  queue: RunQueue
  agentIds: readonly string[]
  concurrency: number
  perUser: number
  /** Runs a job. */
  run(job: TakenJob): Promise<JobOutcome>
  /** Stops runs, which are handed back, each at the end of its step or within this time. */
  handBack(runIds: readonly string[], withinMs: number): Promise<void>
  onError(error: unknown): void
}

export type Dispatcher = {
  /** Looks for jobs now. */
  wake(): void
  /** Takes no more jobs, gives the runs time to end, and hands the others back. */
  close(): Promise<void>
}

/**
 * Takes jobs from a queue for all places that are free: when jobs may be there, when a run has ended, and at least once a
 * second. It keeps the jobs that it has; the run of a job that it has lost is stopped.
 */
export function dispatch({
  queue,
  agentIds,
  concurrency,
  perUser,
  run,
  handBack,
  onError,
}: DispatchOptions): Dispatcher {
  const active = new Map<TakenJob, Promise<void>>()
  let isClosed = false
  let isTaking = false
  let mayHaveMore = false
  let lastTake = Number.NEGATIVE_INFINITY
  let poll: ReturnType<typeof setTimeout> | undefined

  const settle = async (job: TakenJob): Promise<void> => {
    // What a run reports is stored. Here only a store or a queue fails.
    const outcome = await run(job).catch((error: unknown): JobOutcome => {
      onError(error)
      return { afterMs: limits.failedAgainMs }
    })
    await queue.settle(job, outcome === 'done' ? undefined : outcome).catch(onError)
  }
  const start = (job: TakenJob): void => {
    const settled = settle(job).finally(() => {
      active.delete(job)
      wake()
    })
    active.set(job, settled)
  }
  const take = async (): Promise<void> => {
    while (mayHaveMore && !isClosed) {
      const waitMs = lastTake + limits.takeMs - performance.now()
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
      const free = concurrency - active.size
      // The end of a run wakes it.
      if (free <= 0 || isClosed) return
      mayHaveMore = false
      lastTake = performance.now()
      const jobs = await queue.take({ agentIds, limit: free, perUser })
      mayHaveMore ||= jobs.length > 0
      for (const job of jobs) start(job)
    }
  }
  const wake = (): void => {
    mayHaveMore = true
    if (isTaking || isClosed) return
    isTaking = true
    clearTimeout(poll)
    void take()
      .catch(onError)
      .finally(() => {
        isTaking = false
        if (isClosed) return
        if (mayHaveMore && active.size < concurrency) wake()
        else poll = setTimeout(wake, limits.takePollMs)
      })
  }
  let isKeeping = false
  const keep = async (): Promise<void> => {
    if (isKeeping || active.size === 0) return
    isKeeping = true
    try {
      const lost = await queue.keep([...active.keys()])
      await handBack(
        lost.map(({ runId }) => runId),
        0,
      )
    } catch (error) {
      onError(error)
    } finally {
      isKeeping = false
    }
  }
  const keeping = setInterval(() => void keep(), limits.keepMs)
  const stopListening = queue.onReady(agentIds, wake)
  wake()
  return {
    wake,
    async close() {
      isClosed = true
      clearTimeout(poll)
      stopListening()
      const settled = (): Promise<unknown> => Promise.allSettled(active.values())
      if (active.size > 0) await settledWithin(limits.drainMs, settled())
      const rest = [...active.keys()].map(({ runId }) => runId)
      if (rest.length > 0) await handBack(rest, 0)
      await settled()
      clearInterval(keeping)
    },
  }
}
