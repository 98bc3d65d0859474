import { checkOptionNames } from '@agentkit/core/internal'
import type { AgentServer } from './listen.ts'
import { createLog, describeError, type Log } from './util/log.ts'
import { watchEventLoop } from './util/watch-event-loop.ts'

/** What happens when the process is asked to end. */
export type HandleSignalsOptions = {
  /** Where failures are logged; default `"human"`, a line on standard error. */
  log?: Log
  /** Called when the server has closed, before the process exits: to close the agent and its sessions. */
  afterClose?: () => Promise<void>
}

const signals = { SIGINT: 2, SIGTERM: 15 } as const

/** The servers of this process that are being stopped: it exits after the last one. */
const ending = { servers: 0, code: 0 }

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
  const report = (message: string, error?: unknown): void => {
    const about = error === undefined ? {} : { error: describeError(error) }
    log({ time: new Date().toISOString(), level: 'error', message, ...about })
  }
  let stopping = false
  const onSignal = (signal: keyof typeof signals): void => {
    if (stopping) process.exit(128 + signals[signal])
    stopping = true
    ending.servers++
    void stop(server, options.afterClose)
      .catch((error) => {
        ending.code = 1
        report('The server could not be stopped cleanly.', error)
      })
      .then(() => {
        if (--ending.servers === 0) process.exit(ending.code)
      })
  }
  const onRejection = (error: unknown): void => report('A promise rejection was not handled.', error)

  const unwatch = watchEventLoop((seconds) =>
    report(
      `The process was blocked for ${seconds.toFixed(1)} s: no request was served meanwhile. ` +
        'Long work in tools and hooks belongs in a worker thread or another process.',
    ),
  )
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('unhandledRejection', onRejection)
  return () => {
    unwatch()
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal).off('unhandledRejection', onRejection)
  }
}

async function stop(server: AgentServer, afterClose: (() => Promise<void>) | undefined): Promise<void> {
  await server.close()
  await afterClose?.()
}
