import { terminalLine } from '@agentkit/core'
import { firstChars, printLine, redactSecrets } from '@agentkit/core/internal'

/**
 * A run that has ended, a failed request, a failure outside of requests, the data that the retention has removed, or
 * the address that `run()` listens on. An entry has no messages of users or models.
 */
export type LogEntry = {
  /** ISO 8601, UTC. */
  time: string
  level: 'error' | 'info'
  message: string
  request_id?: string
  /** The trace id of OpenTelemetry, if the process traces its runs. */
  trace_id?: string
  run_id?: string
  finish_reason?: string
  input_tokens?: number
  output_tokens?: number
  /** In US dollars, where the price is known. */
  cost?: number
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

/** A logger of another library, such as pino. */
export interface Logger {
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}

/**
 * Where runs and failures are logged: on standard error as a readable line or as a JSON line in the format of pino, to
 * a function, or to a logger. `console` prints the readable line.
 */
export type Log = 'human' | 'json' | Logger | ((entry: LogEntry) => void)

const maxErrorLength = 500

/** A function that logs entries. A `log` function that throws, or rejects, does not fail the request. */
export function createLog(log: Log = 'human'): (entry: LogEntry) => void {
  const write = writerOf(log)
  return (entry) => {
    const onFailure = (): void => printLine(formatLine(entry, 'json'))
    try {
      const written: unknown = write(entry)
      // The function may be `async`: an unhandled rejection would end the process.
      if (written instanceof Promise) written.catch(onFailure)
    } catch {
      onFailure()
    }
  }
}

function writerOf(log: Log): (entry: LogEntry) => void {
  if (typeof log === 'function') return log
  if (typeof log === 'string') return (entry) => printLine(formatLine(entry, log))
  // `console` would print an object on several lines.
  if (log === console) return (entry) => console[entry.level](formatLine(entry, 'human'))
  // The logger has a time of its own.
  return ({ time: _, level, message, ...fields }) => log[level](fields, message)
}

/** The numbers of pino's levels. */
const levels = { info: 30, error: 50 } as const

/** An entry as a single line. */
export function formatLine(entry: LogEntry, format: 'human' | 'json'): string {
  const { time, message, level, ...rest } = entry
  if (format === 'json') {
    return terminalLine(JSON.stringify({ level: levels[level], time: Date.parse(time), msg: message, ...rest }))
  }
  const fields = Object.entries(rest).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return terminalLine([time, level, message, ...fields].join(' '))
}

/**
 * The messages of an error and its causes for the log, without secrets and control characters, and cut to a maximum length.
 * @param secrets texts to redact, in addition to what looks like a key
 */
export function describeError(error: unknown, secrets: readonly string[] = []): string {
  const parts: string[] = []
  for (let current = error; current !== undefined && parts.length < 3; ) {
    parts.push(messageOf(current))
    current = current instanceof Error ? current.cause : undefined
  }
  // Redacted before it is cut, because half a key is not recognized as one.
  // As one line: a logger of another library may print texts as they are.
  return firstChars(terminalLine(redactSecrets(parts.join(' < '), secrets)), maxErrorLength)
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return `${'code' in error ? error.code : error.name}: ${error.message}`
  if (typeof error === 'string') return error
  if (typeof error !== 'object' || error === null) return typeof error
  return 'code' in error && 'message' in error ? `${error.code}: ${error.message}` : 'object'
}
