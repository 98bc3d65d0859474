import type { RunStore } from '../contracts/run-store.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import type { MemoryDisk } from './memory-runs.ts'

/** A process that dies at one of its writes: neither this call nor a later one returns. */
export type MortalProcess = {
  store: SessionStore & { runs: RunStore }
  /** Resolves when it has died. */
  readonly died: Promise<void>
  /** Its writes so far. */
  readonly writes: number
}

/** @param write the number of the write at which it dies, and whether the write has its effect; absent, it lives */
export function mortalProcess(disk: MemoryDisk, write?: { number: number; hasEffect: boolean }): MortalProcess {
  const { store, kill } = disk.open()
  const { promise: died, resolve: die } = Promise.withResolvers<void>()
  let writes = 0
  let isDead = false
  const mortal = <Parameters extends unknown[], Value>(
    work: (...parameters: Parameters) => Promise<Value>,
    isWrite = false,
  ): ((...parameters: Parameters) => Promise<Value>) => {
    return async (...parameters) => {
      if (isWrite) writes++
      const isLast = isWrite && writes === write?.number
      if (isDead || (isLast && !write?.hasEffect)) return end()
      const value = await work(...parameters)
      return isDead || isLast ? end() : value
    }
  }
  const end = (): Promise<never> => {
    isDead = true
    kill()
    die()
    return new Promise(() => {})
  }
  const { runs } = store
  return {
    died,
    get writes() {
      return writes
    },
    store: {
      ...store,
      load: mortal(store.load),
      turns: mortal(store.turns),
      runs: {
        ...runs,
        read: mortal(runs.read),
        create: mortal(runs.create, true),
        takeOver: mortal(runs.takeOver, true),
        append: mortal(runs.append, true),
        suspend: mortal(runs.suspend, true),
        decide: mortal(runs.decide, true),
        end: mortal(runs.end, true),
        release: mortal(runs.release, true),
      },
    },
  }
}
