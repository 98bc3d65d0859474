/**
 * The signal of a command that Ctrl-C, SIGTERM or a closed terminal ends. A second one ends the process at once.
 * @returns `code()` is the exit code of an interrupted command, `undefined` otherwise
 */
export function interruptible(): { signal: AbortSignal; code(): number | undefined } {
  const stop = new AbortController()
  let code: number | undefined
  for (const [name, number] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.on(name, () => {
      if (code !== undefined) process.exit(number)
      code = number
      stop.abort()
    })
  }
  return { signal: stop.signal, code: () => code }
}
