/** Which runs have clients that wait for their answer or follow their events. */
export type Readers = {
  has(runId: string): boolean
  /** @returns to be called when the client has its answer or has left */
  add(runId: string): () => void
}

export function createReaders(): Readers {
  const counts = new Map<string, number>()
  return {
    has: (runId) => counts.has(runId),
    add(runId) {
      counts.set(runId, (counts.get(runId) ?? 0) + 1)
      let isReading = true
      return () => {
        if (!isReading) return
        isReading = false
        const others = (counts.get(runId) ?? 1) - 1
        if (others === 0) counts.delete(runId)
        else counts.set(runId, others)
      }
    },
  }
}
