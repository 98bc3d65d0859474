/**
 * A function that runs `work` immediately, and again after `ms` at the earliest, however often it is called in between.
 */
export function coalesce(work: () => void, ms: number): () => void {
  let isResting = false
  let isWanted = false
  const run = (): void => {
    isResting = true
    isWanted = false
    setTimeout(() => {
      isResting = false
      if (isWanted) run()
    }, ms).unref()
    work()
  }
  return () => {
    isWanted = true
    if (!isResting) run()
  }
}
