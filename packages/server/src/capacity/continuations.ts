/** Runs that decisions continue in this server, each once it has a place. */
export type Continuations = {
  /** Whether there is a reservation for the run: nothing else continues it then. */
  has(runId: string): boolean
  /** @param attempt the attempt of the suspended run */
  reserve(runId: string, attempt: number): Reservation
}

export type Reservation = {
  /** @returns whether it is the first that continues the run: several people may decide at once */
  acquire(): boolean
  /** Call it when the run has settled, or when the run is not continued. */
  release(): void
}

export function createContinuations(): Continuations {
  const runs = new Map<string, { reservations: number; acquired: Set<number> }>()
  return {
    has: (runId) => runs.has(runId),
    reserve(runId, attempt) {
      const run = runs.get(runId) ?? { reservations: 0, acquired: new Set() }
      runs.set(runId, run)
      run.reservations++
      let isReleased = false
      return {
        acquire() {
          if (run.acquired.has(attempt)) return false
          run.acquired.add(attempt)
          return true
        },
        release() {
          if (isReleased) return
          isReleased = true
          if (--run.reservations === 0) runs.delete(runId)
        },
      }
    },
  }
}
