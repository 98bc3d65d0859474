import type { WorkerPlaces } from './worker-options.ts'

/** Places that workers of several stores share. */
export function sharedPlaces(count: number): WorkerPlaces {
  const listeners = new Set<() => void>()
  let taken = 0
  return {
    free: () => count - taken,
    enter() {
      if (taken >= count) return undefined
      taken++
      let isTaken = true
      return () => {
        if (!isTaken) return
        isTaken = false
        taken--
        for (const listener of listeners) listener()
      }
    },
    onFree(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
