import { checkOptionNames } from '@agentkit/core/internal'
import type { AgentServer } from './listen.ts'
import { createLog, describeError, type Log } from './util/log.ts'
import { watchEventLoop } from './util/watch-event-loop.ts'

/** Options of `handleSignals`. */
export type HandleSignalsOptions = {
  /** Where failures are logged; default `"human"`, a line on standard error. */
  log?: Log
  /** Called when all servers of the process have closed, before it exits: to close the agent and its sessions. */
  afterClose?: () => Promise<void>
}

const signals = { SIGINT: 2, SIGTERM: 15 } as const
type Signal = keyof typeof signals

/** The servers of this process that are being stopped. Shared resources are closed after the last one. */
const ending = { servers: 0, code: 0, afterClose: new Set<() => Promise<void>>() }

/** Stop the servers that are tied to this process. They share a listener: Node warns of a leak at the 11th. */
const stops = new Set<(signal: Signal) => void>()

/** The logs of the servers that are tied to this process. The first one receives what belongs to no server. */
const reports = new Set<Report>()
type Report = (message: string, error?: unknown) => void

/**
 * Ties the process to the server: SIGTERM and SIGINT drain the server and exit with 0, once all servers that are tied to
 * it have drained; a second signal exits at once, and an unhandled rejection is logged instead of ending all runs. Code
 * that blocks the process for a second or longer is logged too.
 *
 * @throws AgentKitError `invalid-config` for an option that does not exist
 * @returns a function that removes the handlers
 * @example
 * const server = await serve(agent)
 * handleSignals(server, { afterClose: () => agent.close() })
 */
export function handleSignals(server: AgentServer, options: HandleSignalsOptions = {}): () => void {
  checkOptionNames(options, { log: true, afterClose: true }, { code: 'invalid-config' })
  const log = createLog(options.log)
  const report: Report = (message, error) => {
    const about = error === undefined ? {} : { error: describeError(error) }
    log({ time: new Date().toISOString(), level: 'error', message, ...about })
  }
  const reportOnce: Report = (message, error) => {
    const [first] = reports
    if (first === report) report(message, error)
  }
  const settle = async (work: () => Promise<void> | undefined): Promise<void> => {
    try {
      await work()
    } catch (error) {
      ending.code = 1
      report('The server could not be stopped cleanly.', error)
    }
  }
  let stopping = false
  const stop = (signal: Signal): void => {
    if (stopping) process.exit(128 + signals[signal])
    stopping = true
    ending.servers++
    ending.afterClose.add(() => settle(() => options.afterClose?.()))
    void settle(() => server.close()).then(exitAfterLast)
  }

  reports.add(report)
  const unwatch = watchEventLoop((seconds) =>
    reportOnce(
      `The process was blocked for ${seconds.toFixed(1)} s: it served no request and continued no run meanwhile. ` +
        'Long work in tools and hooks belongs in a worker thread or another process.',
    ),
  )
  if (stops.size === 0) process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('unhandledRejection', onRejection)
  stops.add(stop)
  return () => {
    reports.delete(report)
    unwatch()
    stops.delete(stop)
    if (stops.size === 0)
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal).off('unhandledRejection', onRejection)
  }
}

function onSignal(signal: Signal): void {
  for (const stop of [...stops]) stop(signal)
}

function onRejection(error: unknown): void {
  const [report] = reports
  report?.('A promise rejection was not handled.', error)
}

async function exitAfterLast(): Promise<void> {
  if (--ending.servers > 0) return
  await Promise.all([...ending.afterClose].map((close) => close()))
  process.exit(ending.code)
}
