import { messageOf } from '../../data/errors.ts'
import { printLine } from './print-line.ts'
import { redactSecrets } from './redact.ts'

/** Prints failures on stderr, each sentence at most once a minute. @param what is done about them */
export function printFailures(what: string): (error: unknown) => void {
  const printed = new Map<string, number>()
  return (error) => {
    const message = redactSecrets(messageOf(error)) || 'unknown error'
    const now = performance.now()
    if (now - (printed.get(message) ?? Number.NEGATIVE_INFINITY) < 60_000) return
    if (printed.size > 100) printed.clear()
    printed.set(message, now)
    printLine(`agentkit: ${what}: ${message}`)
  }
}
