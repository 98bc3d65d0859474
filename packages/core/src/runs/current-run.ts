import { AsyncLocalStorage } from 'node:async_hooks'
import type { Ledger } from '../policies/ledger.ts'

/** The run in which code is running: a tool, a hook, a model. What it starts belongs to that run. */
export type CurrentRun = {
  /** What is started here is paid for by it. */
  ledger: Ledger
  /** What is started here ends with it. */
  signal: AbortSignal
  /** How many runs this one is nested in. */
  depth: number
  /** The sessions that it and the runs around it hold, by `keyText`. */
  holds: readonly string[]
  /** A model call is under way: it must not be waited for in itself. */
  isInModelCall?: true
}

export const currentRun: AsyncLocalStorage<CurrentRun> = new AsyncLocalStorage()

/** What a tool starts ends with the tool, also where that runs out of time. */
export function withSignal<Value>(signal: AbortSignal, work: () => Value): Value {
  const current = currentRun.getStore()
  return current ? currentRun.run({ ...current, signal }, work) : work()
}
