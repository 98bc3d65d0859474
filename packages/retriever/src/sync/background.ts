/** Work that follows a sync in the background. */
export interface Background {
  /** Marks the work as needed: `resume()` starts it. */
  need(): void
  /** Starts work that is needed and not complete. */
  resume(): void
  /** Aborts the work, and waits for its end. */
  stop(): Promise<void>
  /** Settles when no work is running: rejects if it failed. */
  settled(): Promise<void>
}

/** @param work stops early, with or without a rejection, when its signal aborts */
export function background(work: (signal: AbortSignal) => Promise<void>): Background {
  let controller = new AbortController()
  let running: Promise<void> = Promise.resolve()
  let isNeeded = false
  const run = async (signal: AbortSignal): Promise<void> => {
    try {
      await work(signal)
      if (!signal.aborted) isNeeded = false
    } catch (error) {
      // The work was interrupted, and continues later.
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
      // Reported by `settled()`. The next sync starts it again.
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
