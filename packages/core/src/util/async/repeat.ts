/** Work that is repeated until it is stopped. */
export type Repeated = {
  /** Does it now, or again when it is being done. */
  wake(): void
  /** Resolves when it is no longer being done. */
  stop(): Promise<void>
}

/**
 * Does something now, and again so long after it was done; never twice at once. What it throws is reported, and it is
 * repeated.
 */
export function repeat(everyMs: number, work: () => Promise<unknown>, onError: (error: unknown) => void): Repeated {
  let isStopped = false
  let isDue = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let working: Promise<void> | undefined

  const run = async (): Promise<void> => {
    while (isDue && !isStopped) {
      isDue = false
      await work().catch(onError)
    }
    working = undefined
    if (!isStopped) timer = setTimeout(wake, everyMs)
  }
  const wake = (): void => {
    isDue = true
    if (working || isStopped) return
    clearTimeout(timer)
    working = run()
  }
  wake()
  return {
    wake,
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await working
    },
  }
}
