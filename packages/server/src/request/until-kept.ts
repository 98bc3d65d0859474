/** The first wait, and the longest: it doubles with each try. In milliseconds. */
const firstMs = 1_000
const longestMs = 5_000
/** How long it is tried. */
const lifeMs = 86_400_000
/** Answers that are tried at once; the keys of others stay reserved while the process lives. */
const most = 1_000

let trying = 0

/** Stores what a store that failed could not store, once it works again. Its timers do not keep the process. Never rejects. */
export async function untilKept(keep: () => Promise<void>): Promise<void> {
  if (trying === most) return
  trying++
  const until = performance.now() + lifeMs
  for (let waitMs = firstMs; performance.now() < until; waitMs = Math.min(waitMs * 2, longestMs)) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs)
      // Outside of Node, timers are numbers.
      if (typeof timer === 'object') timer.unref()
    })
    try {
      await keep()
      break
    } catch {
      // Tried again.
    }
  }
  trying--
}
