import type { WorkerPlaces } from '@agentkit/core/internal'
import type { RunQueue } from './run-queue.ts'

/** The most places that background runs take; fewer, where the server has few: connections find one free. */
const mostPlaces = 25

/** How many background runs a server executes at once. */
export function workerConcurrency(runs: number): number {
  return Math.max(1, Math.min(mostPlaces, runs - Math.ceil(runs / 5)))
}

/** The places of a server, for background runs: those that wait for a connection go first. */
export function workerPlaces(runs: RunQueue): WorkerPlaces {
  return {
    free: () => runs.free,
    enter: () => runs.tryEnter(),
    onFree: (listener) => runs.onFree(listener),
  }
}
