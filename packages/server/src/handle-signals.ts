import { checkOptionNames } from '@agentkit/core/internal'
import type { AgentServer } from './serve.ts'
import { createLog, describeError, type Log } from './util/log.ts'

export type HandleSignalsOptions = {
  /** Where a failure is written; default a line for people on standard error. */
  log?: Log
  /** Called when the server has closed, before the process ends: to close the agent and its sessions. */
  afterClose?: () => Promise<void>
}

const signals = { SIGINT: 2, SIGTERM: 15 } as const

/**
 * Lets a server own its process: SIGTERM and SIGINT drain it and end the process with 0, a second one ends it at once,
 * and a rejection that a user's code left unhandled is logged instead of ending everybody's runs.
 *
 * @throws AgentKitError `invalid-config` for an option that does not exist
 * @returns a function that takes the handlers off again
 * @example
 * const server = await serve(agent)
 * handleSignals(server, { afterClose: () => agent.close() })
 */
export function handleSignals(server: AgentServer, options: HandleSignalsOptions = {}): () => void {
  checkOptionNames(options, { log: true, afterClose: true }, { code: 'invalid-config' })
  const log = createLog(options.log)
  const report = (message: string, error: unknown): void => {
    log({ time: new Date().toISOString(), level: 'error', message, error: describeError(error) })
  }
  let stopping = false
  const onSignal = (signal: keyof typeof signals): void => {
    if (stopping) process.exit(128 + signals[signal])
    stopping = true
    void stop(server, options.afterClose).then(
      () => process.exit(0),
      (error) => {
        report('The server could not be stopped cleanly.', error)
        process.exit(1)
      },
    )
  }
  const onRejection = (error: unknown): void => report('A promise was rejected and nobody handled it.', error)

  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('unhandledRejection', onRejection)
  return () => {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal).off('unhandledRejection', onRejection)
  }
}

async function stop(server: AgentServer, afterClose: (() => Promise<void>) | undefined): Promise<void> {
  await server.close()
  await afterClose?.()
}
