import { terminalLine } from '@agentkit/core'
import { redactSecrets } from '@agentkit/core/internal'

/** A failed request, a failure outside of requests, or what the retention has removed. Has no messages of users or models. */
export type LogEntry = {
  /** ISO 8601, UTC. */
  time: string
  level: 'error' | 'info'
  message: string
  request_id?: string
  /** The address of the client. */
  client?: string
  method?: string
  path?: string
  status?: number
  code?: string
  duration_ms?: number
  /** The error's own message, without secrets. */
  error?: string
}

/** Where failures are logged: a readable line or a JSON line on standard error, or a function. */
export type Log = 'human' | 'json' | ((entry: LogEntry) => void)

const maxErrorLength = 500

/** A function that logs entries. A `log` function that throws does not fail the request. */
export function createLog(log: Log = 'human'): (entry: LogEntry) => void {
  const write = typeof log === 'function' ? log : (entry: LogEntry) => writeLine(formatLine(entry, log))
  return (entry) => {
    try {
      write(entry)
    } catch {
      writeLine(formatLine(entry, 'json'))
    }
  }
}

function writeLine(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** An entry as a single line. */
export function formatLine(entry: LogEntry, format: 'human' | 'json'): string {
  if (format === 'json') return terminalLine(JSON.stringify(entry))
  const { time, message, level, ...rest } = entry
  const fields = Object.entries(rest).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return terminalLine([time, level, message, ...fields].join(' '))
}

/**
 * The messages of an error and its causes for the log, without secrets and cut to a maximum length.
 * @param secrets texts to redact, in addition to what looks like a key
 */
export function describeError(error: unknown, secrets: readonly string[] = []): string {
  const parts: string[] = []
  for (let current = error; current !== undefined && parts.length < 3; ) {
    parts.push(messageOf(current))
    current = current instanceof Error ? current.cause : undefined
  }
  // Redacted before it is cut, because half a key is not recognised as one.
  return redactSecrets(parts.join(' < '), secrets).slice(0, maxErrorLength)
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return `${'code' in error ? error.code : error.name}: ${error.message}`
  if (typeof error === 'string') return error
  if (typeof error !== 'object' || error === null) return typeof error
  return 'code' in error && 'message' in error ? `${error.code}: ${error.message}` : 'object'
}
