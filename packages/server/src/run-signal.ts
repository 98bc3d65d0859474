import { AgentKitError } from '@agentkit/core'

/** What ends a run from outside. */
export type RunSignal = {
  signal: AbortSignal
  /** Forgets the deadline; to be called when the run is over. */
  release(): void
}

/**
 * One signal of two reasons: the client has gone, or the time is up. A deadline that the agent itself has, and that is
 * shorter, holds beside it.
 */
export function runSignal(clientGone: AbortSignal, deadlineMs: number): RunSignal {
  const controller = new AbortController()
  const onGone = (): void => controller.abort(new AgentKitError('aborted', 'The client has left.'))
  const timer = setTimeout(() => {
    const message = `The run did not end within the server's ${deadlineMs} ms.`
    controller.abort(new AgentKitError('timeout', message, { phase: 'run' }))
  }, deadlineMs)
  if (clientGone.aborted) onGone()
  else clientGone.addEventListener('abort', onGone, { once: true })
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer)
      clientGone.removeEventListener('abort', onGone)
    },
  }
}
