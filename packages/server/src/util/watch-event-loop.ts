/** How often the event loop is looked at, in milliseconds. */
const everyMs = 500
/** The event loop counts as blocked from this delay on, in milliseconds: shorter delays are usual on a busy machine. */
const blockedMs = 1_000

/**
 * Watches for code that blocks the process: a computation, or synchronous input and output.
 *
 * @param onBlocked called after each time, with its length in seconds
 * @returns stops watching
 */
export function watchEventLoop(onBlocked: (seconds: number) => void): () => void {
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    const lateMs = now - last - everyMs
    last = now
    if (lateMs >= blockedMs) onBlocked(lateMs / 1_000)
  }, everyMs).unref()
  return () => clearInterval(timer)
}
