import type { Runnable } from '@agentkit/core'
import { keepRetention } from '@agentkit/core/internal'
import { describeError, type LogEntry } from '../util/log.ts'
import { hasRoom } from './disk-use.ts'
import { maxBytesOf, type RetentionOptions, rulesOf } from './retention-options.ts'

type Retained = { agent: Runnable; retention: Required<RetentionOptions>; log: (entry: LogEntry) => void }

/**
 * Removes data that is older than the options allow: soon after the start, and every hour. It logs the counts of
 * removed entries.
 * @returns a function that stops it
 */
export function startRetention({ agent, retention, log }: Retained): () => void {
  const onRemoved = logRemoved(log)
  return keepRetention({
    runs: agent.sessions.runs,
    rules: rulesOf(retention),
    onRemoved,
    onError: (error) => log({ ...entry('error', 'Old data could not be removed.'), error: describeError(error) }),
    // Files of users count too.
    makeRoom: () => hasRoom(agent, { maxBytes: maxBytesOf(retention), onRemoved }, 0),
  })
}

/** Logs what was removed. */
export function logRemoved(log: Retained['log']): (what: string) => void {
  return (what) => log(entry('info', `Removed ${what}, as the retention says.`))
}

function entry(level: LogEntry['level'], message: string): LogEntry {
  return { time: new Date().toISOString(), level, message }
}
