import { describeError, type LogEntry } from './log.ts'

/** A failure that comes again within this time, in milliseconds, is still the same one. */
const sameMs = 60_000
const mostKnown = 100

/**
 * Logs the failures of work that is repeated. A lasting one, such as that of a damaged file, is logged once; again when its
 * error changes, or when it comes back after it was over.
 */
export function logFailures(
  message: string,
  { log, now = () => performance.now() }: { log: (entry: LogEntry) => void; now?: () => number },
): (error: unknown) => void {
  /** When each error was last seen. */
  const seen = new Map<string, number>()
  return (failure) => {
    const error = describeError(failure)
    const present = now()
    const isSame = present - (seen.get(error) ?? Number.NEGATIVE_INFINITY) < sameMs
    if (seen.size >= mostKnown && !seen.has(error)) seen.clear()
    seen.set(error, present)
    if (!isSame) log({ time: new Date().toISOString(), level: 'error', message, error })
  }
}
