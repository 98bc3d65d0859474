import type { BackgroundRuns, RunStore, SessionStore, Swarm } from '@agentkit/core'

/** A store whose process dies at one of its writes: neither this call nor a later one returns. */
export type MortalStore = {
  store: SessionStore & { runs: RunStore & { background: BackgroundRuns } }
  /** Resolves when the store has died. */
  readonly died: Promise<void>
  /** Ends it now. */
  kill(): void
  /** The number of writes up to now. */
  readonly writes: number
}

type Work<Parameters extends unknown[], Value> = (...parameters: Parameters) => Promise<Value>

/** @param write the number of the write at which it dies, and whether the write has its effect; absent, it lives */
export function mortalStore(given: SessionStore, write?: { number: number; hasEffect: boolean }): MortalStore {
  const { promise: died, resolve: die } = Promise.withResolvers<void>()
  let writes = 0
  let isDead = false
  const end = (): Promise<never> => {
    isDead = true
    die()
    return new Promise(() => {})
  }
  const reads = <Parameters extends unknown[], Value>(work: Work<Parameters, Value>, isWrite = false) => {
    return async (...parameters: Parameters): Promise<Value> => {
      if (isDead) return end()
      if (isWrite) writes++
      const isLast = isWrite && writes === write?.number
      if (isLast && !write?.hasEffect) return end()
      const value = await work(...parameters)
      return isDead || isLast ? end() : value
    }
  }
  const writesBy = <Parameters extends unknown[], Value>(work: Work<Parameters, Value>) => reads(work, true)
  // SQLite's own.
  const runs = given.runs as RunStore & { background: BackgroundRuns }
  const { background } = runs
  return {
    died,
    kill: () => void end(),
    get writes() {
      return writes
    },
    store: {
      ...given,
      load: reads(given.load),
      find: reads(given.find),
      turns: reads(given.turns),
      begin: writesBy(given.begin),
      append: writesBy(given.append),
      end: writesBy(given.end),
      runs: {
        ...runs,
        read: reads(runs.read),
        events: reads(runs.events),
        takeOver: writesBy(runs.takeOver),
        append: writesBy(runs.append),
        suspend: writesBy(runs.suspend),
        decide: writesBy(runs.decide),
        end: writesBy(runs.end),
        release: writesBy(runs.release),
        background: {
          ...background,
          queue: { ...background.queue, add: writesBy(background.queue.add) },
          delegate: writesBy(background.delegate),
          sharedBudget: reads(background.sharedBudget),
          setSharedBudget: writesBy(background.setSharedBudget),
          unfinished: reads(background.unfinished),
        },
      },
    },
  }
}

/** Continues what needs a worker, until nothing does. */
export async function drive(swarm: Swarm, { store }: MortalStore): Promise<void> {
  for (;;) {
    const jobs = await store.runs.background.unfinished([swarm.id], { limit: 100 })
    if (jobs.length === 0) return
    await Promise.all(jobs.map(({ runId }) => swarm.continueRun(runId).result))
  }
}
