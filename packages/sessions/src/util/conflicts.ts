import { AgentKitError } from '@agentkit/core'

// The refusals of writes that came too late.

export function conflict(message: string, retryable = false): AgentKitError {
  return new AgentKitError('session-conflict', message, { retryable })
}

export function sessionMoved(): AgentKitError {
  return conflict('The session has moved on. Load it again.', true)
}

export function sessionHeld(): AgentKitError {
  return conflict('Another run holds the session.', true)
}

/** The error of a run that is not enqueued because its session has other runs. */
export function sessionBusy(): AgentKitError {
  return new AgentKitError(
    'session-busy',
    'Another run of this session is queued or running. Wait for it, or use onBusy "queue" or "interrupt".',
    { retryable: true, retryAfterMs: 1_000 },
  )
}

export function notRunning(runId: string): AgentKitError {
  return conflict(`The run ${runId} does not hold its session (any more).`)
}

export function hasEnded(runId: string): AgentKitError {
  return conflict(`The run ${runId} has ended.`)
}

export function callerHasEnded(runId: string): AgentKitError {
  return conflict(`The run that called ${runId} has ended. Retry that run.`)
}

export function unknownRun(runId: string): AgentKitError {
  return new AgentKitError('not-found', `There is no run ${runId}.`, { runId })
}
