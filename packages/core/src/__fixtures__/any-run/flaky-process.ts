import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionStore } from '../../contracts/session-store.ts'
import type { Random } from '../random.ts'

/** A process that runs agents, as its session store sees it. */
export type FlakyProcess = {
  /** Fails one call in forty, before or after its effect, unless the process is at rest. */
  store: SessionStore
  /** Failed calls of the store. */
  readonly failures: number
  isAtRest: boolean
  /** Kills the process: from now on its runs cannot reach the store, and get no results of it. */
  kill(): Promise<void>
}

/** @param store used only by this process: killing it ends its runs */
export function flakyProcess(store: SessionStore, random: Random): FlakyProcess {
  let failures = 0
  let isDead = false
  const flaky = <Parameters extends unknown[], Value>(
    work: (...parameters: Parameters) => Promise<Value>,
  ): ((...parameters: Parameters) => Promise<Value>) => {
    const fail = (text: string): never => {
      failures++
      throw new Error(text)
    }
    const call = async (parameters: Parameters): Promise<Value> => {
      if (self.isAtRest) return work(...parameters)
      const fails = random.oneIn(40) ? random.pick(['before', 'after'] as const) : undefined
      if (random.oneIn(12)) await sleep(1)
      // A killed process does not reach the store.
      if (isDead || fails === 'before') return fail('The disk is full.')
      const value = await work(...parameters)
      return fails === 'after' ? fail('The connection was lost.') : value
    }
    return (...parameters) => {
      return new Promise((resolve, reject) => {
        if (isDead) return
        call(parameters).then(
          (value) => isDead || resolve(value),
          (error) => isDead || reject(error),
        )
      })
    }
  }
  const { runs } = store
  const self: FlakyProcess = {
    store: {
      ...(runs && {
        runs: {
          ...runs,
          create: flaky(runs.create),
          takeOver: flaky(runs.takeOver),
          append: flaky(runs.append),
          suspend: flaky(runs.suspend),
          decide: flaky(runs.decide),
          end: flaky(runs.end),
          cancel: flaky(runs.cancel),
          release: flaky(runs.release),
          read: flaky(runs.read),
          list: flaky(runs.list),
        },
      }),
      load: flaky(store.load),
      begin: flaky(store.begin),
      append: flaky(store.append),
      end: flaky(store.end),
      find: flaky(store.find),
      turns: flaky(store.turns),
      list: flaky(store.list),
      rename: flaky(store.rename),
      delete: flaky(store.delete),
      close: store.close,
    },
    get failures() {
      return failures
    },
    isAtRest: false,
    async kill() {
      isDead = true
      await store.close()
    },
  }
  return self
}
