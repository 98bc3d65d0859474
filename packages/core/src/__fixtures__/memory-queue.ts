import type { QueuedJob, RunQueue, TakenJob } from '../contracts/run-queue.ts'

type Job = QueuedJob & { token?: string | undefined; worker?: object | undefined; since: number; number: number }

/** A queue in memory, for processes that can be killed: the jobs of a dead one are delivered again at once. */
export type MemoryQueue = {
  open(process: object): RunQueue
  readonly jobs: readonly Job[]
}

export function memoryQueue(alive: ReadonlySet<object>, now: () => number): MemoryQueue {
  let jobs: Job[] = []
  let numbers = 0
  const listeners = new Set<() => void>()
  const isTaken = ({ worker }: Job): boolean => worker !== undefined && alive.has(worker)
  const ready = (): void => {
    for (const listener of listeners) queueMicrotask(listener)
  }
  const unlessDead = async (process: object): Promise<void> => {
    if (!alive.has(process)) await new Promise(() => {})
  }
  const find = ({ token }: TakenJob): Job | undefined => jobs.find((job) => job.token === token)
  return {
    get jobs() {
      return jobs
    },
    open: (process) => ({
      async add(added) {
        await unlessDead(process)
        for (const job of added) jobs.push({ ...job, since: now(), number: numbers++ })
        ready()
      },
      async take({ agentIds, limit }) {
        await unlessDead(process)
        const takenBy = (userId: string): number => jobs.filter((job) => job.userId === userId && isTaken(job)).length
        const isFree = (job: Job): boolean => {
          const isDue = (job.startAfter ?? 0) <= now() && agentIds.includes(job.agentId) && !isTaken(job)
          return isDue && !jobs.some((other) => isTaken(other) && other.sessionKey === job.sessionKey && job.sessionKey)
        }
        const taken: TakenJob[] = []
        while (taken.length < limit) {
          const [job] = jobs.filter(isFree).sort((one, other) => {
            const fair = takenBy(one.userId) - takenBy(other.userId)
            return fair || (other.priority ?? 0) - (one.priority ?? 0) || one.number - other.number
          })
          if (!job) break
          job.worker = process
          job.token = crypto.randomUUID()
          taken.push({ runId: job.runId, agentId: job.agentId, userId: job.userId, token: job.token })
        }
        return taken
      },
      async keep(kept) {
        return kept.filter((job) => !find(job))
      },
      async settle(taken, again) {
        await unlessDead(process)
        const job = find(taken)
        if (!job) return
        jobs = jobs.filter((other) => other !== job)
        if (!again) return ready()
        jobs.push({ ...job, worker: undefined, token: undefined, startAfter: now() + again.afterMs })
        setTimeout(ready, again.afterMs).unref()
      },
      async missing(runIds) {
        return runIds.filter((runId) => !jobs.some((job) => job.runId === runId))
      },
      onReady(_, listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      counts: async () => [],
      async clear() {
        jobs = []
      },
      async migrate() {},
      async close() {},
    }),
  }
}
