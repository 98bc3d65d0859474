/** Runs the calls of one run in their order, also when they are not awaited. */
export function runOrder(): <T>(runId: string, work: () => Promise<T>) => Promise<T> {
  const lastOf = new Map<string, Promise<unknown>>()
  return (runId, work) => {
    const earlier = lastOf.get(runId)
    const result = earlier === undefined ? work() : earlier.then(work, work)
    const done = result.then(leave, leave)
    function leave(): void {
      if (lastOf.get(runId) === done) lastOf.delete(runId)
    }
    lastOf.set(runId, done)
    return result
  }
}
