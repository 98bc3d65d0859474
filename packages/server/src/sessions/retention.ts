import type { PruneReport, Runnable } from '@agentkit/core'
import { describeError, type LogEntry } from '../util/log.ts'
import { hasRoom } from './disk-use.ts'
import { maxBytesOf, type RetentionOptions } from './retention-options.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** After the start, which needs the processor for itself. */
const firstMs = 1_000

/** How long events and idempotent answers are kept after the end of their run. */
const keptMs = dayMs

type Retained = { agent: Runnable; retention: Required<RetentionOptions>; log: (entry: LogEntry) => void }

/**
 * Removes what is older than the options allow: soon after the start, and every hour. It logs what it has removed.
 *
 * Stores without `runs` do not name the users that they have sessions of, so nothing is removed from them.
 *
 * @returns stops it
 */
export function startRetention(retained: Retained): () => void {
  let isStopped = false
  const wait = (ms: number): NodeJS.Timeout =>
    setTimeout(async () => {
      await prune(retained, () => isStopped)
      if (!isStopped) timer = wait(hourMs)
    }, ms).unref()
  let timer = wait(firstMs)
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

async function prune({ agent, retention, log }: Retained, isStopped: () => boolean): Promise<void> {
  const entry = (level: LogEntry['level'], message: string): LogEntry => ({
    time: new Date().toISOString(),
    level,
    message,
  })
  try {
    const { runs } = agent.sessions
    if (!runs) return
    const report = await runs.prune({
      sessionsMs: retention.retentionDays * dayMs,
      sessionsPerUser: retention.maxSessionsPerUser,
      eventsMs: keptMs,
      answersMs: keptMs,
    })
    const removed = describe(report)
    if (removed !== '') log(entry('info', `Removed ${removed}, as the retention says.`))
    await hasRoom(agent, maxBytesOf(retention), 0)
  } catch (error) {
    // A store that is closed meanwhile fails; what is left is removed at the next start.
    if (isStopped()) return
    log({ ...entry('error', 'Old data could not be removed.'), error: describeError(error) })
  }
}

function describe({ sessions, runs, events, answers }: PruneReport): string {
  const counts = [
    ...(sessions > 0 ? [`${count(sessions, 'session')} with ${count(runs, 'run')}`] : []),
    ...(events > 0 ? [count(events, 'event')] : []),
    ...(answers > 0 ? [count(answers, 'idempotent answer')] : []),
  ]
  return counts.join(', ')
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
