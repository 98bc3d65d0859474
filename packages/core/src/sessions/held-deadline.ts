import type { RunStore } from '../contracts/run-store.ts'

/** The deadline of a run that this process has. */
export type HeldDeadline = {
  /** By the clock of the store, which may have been set: `msLeft` from now. */
  at(): number
  /** In milliseconds; negative once it has passed. */
  msLeft(): number
}

/** Counts on by the time that passes: the clock of the store may be set, and the machine may sleep. @param deadline by that clock */
export function holdDeadline(runs: RunStore, deadline: number | undefined): HeldDeadline | undefined {
  if (deadline === undefined) return undefined
  const endsAt = performance.now() + deadline - runs.now()
  const msLeft = (): number => Math.ceil(endsAt - performance.now())
  return { at: () => runs.now() + msLeft(), msLeft }
}
