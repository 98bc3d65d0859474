/** Work that follows a sync when nobody waits for it. */
export interface Background {
  /** There is something to do: `resume()` begins it. */
  need(): void
  /** Begins what is needed and has not come to its end. */
  resume(): void
  /** Ends what runs, and waits for that. */
  stop(): Promise<void>
  /** Settles when nothing runs any more: rejects where it failed. */
  settled(): Promise<void>
}

/** @param work ends early, by a rejection or not, when its signal aborts */
export function background(work: (signal: AbortSignal) => Promise<void>): Background {
  let controller = new AbortController()
  let running: Promise<void> = Promise.resolve()
  let isNeeded = false
  const run = async (signal: AbortSignal): Promise<void> => {
    try {
      await work(signal)
      if (!signal.aborted) isNeeded = false
    } catch (error) {
      // It was cut short, and goes on another time.
      if (!signal.aborted) throw error
    }
  }
  return {
    need() {
      isNeeded = true
    },
    resume() {
      if (!isNeeded) return
      controller.abort()
      controller = new AbortController()
      const { signal } = controller
      const before = running.catch(() => {})
      running = before.then(() => (signal.aborted ? undefined : run(signal)))
      // It is told to who asks. The next sync begins it again.
      running.catch(() => {})
    },
    async stop() {
      controller.abort()
      await running.catch(() => {})
    },
    async settled() {
      for (let last: unknown; last !== running; ) {
        last = running
        await running
      }
    },
  }
}
