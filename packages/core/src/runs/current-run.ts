import { AsyncLocalStorage } from 'node:async_hooks'
import type { LedgerAround } from '../policies/ledger.ts'

/** The run in which code is running: a tool, a hook, a model. What it starts belongs to that run. */
export type CurrentRun = {
  /** Charged for the runs that are started here. */
  ledger: LedgerAround
  /** Ends the runs that are started here. */
  signal: AbortSignal
  /** Of code with a signal of its own, that of the run: a tool may leave a run behind that it has not awaited. */
  outer?: AbortSignal
  /** How many runs this one is nested in. */
  depth: number
  /** The sessions that this run and its parents hold, by `keyText`. */
  holds: readonly string[]
  /** Set within a model call, where waiting for its reservation would never end. */
  isInModelCall?: true
}

export const currentRun: AsyncLocalStorage<CurrentRun | undefined> = new AsyncLocalStorage()

/** Runs that `work` starts end with the signal, and with the run: those of a tool end when its time is up. */
export function withSignal<Value>(signal: AbortSignal, work: () => Value): Value {
  const current = currentRun.getStore()
  return current ? currentRun.run({ ...current, signal, outer: current.outer ?? current.signal }, work) : work()
}

/** Runs that `work` starts belong to no run, whichever one this code is called within. */
export function outsideRuns<Value>(work: () => Value): Value {
  // Not by `exit`, whose effect ends at the first `await` in Deno.
  return currentRun.run(undefined, work)
}
