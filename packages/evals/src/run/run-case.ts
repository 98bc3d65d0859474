import {
  type AgentEvent,
  AgentKitError,
  type ErrorInfo,
  isAgentKitError,
  type Runnable,
  type RunResult,
} from '@agentkit/core'
import { firstChars, messageOf, redactSecrets, toErrorInfo } from '@agentkit/core/internal'
import type { NamedCase } from '../data/eval-case.ts'
import { limits } from '../limits.ts'

/** One run of a case: its result, and the error if the run has no answer. */
export type CaseRun = { result?: RunResult; error?: ErrorInfo; events: AgentEvent[]; durationMs: number }

/**
 * Runs a case, without a session. Never rejects: a run fails where `chat()` would throw.
 */
export async function runCase(
  agent: Runnable,
  { input, history, userId }: NamedCase,
  signal: AbortSignal,
): Promise<CaseRun> {
  const events: AgentEvent[] = []
  const startedAt = performance.now()
  const duration = (): number => Math.round(performance.now() - startedAt)
  try {
    const run = agent.stream(input, {
      signal,
      onApproval: 'end',
      ...(history && { history }),
      ...(userId !== undefined && { userId }),
    })
    for await (const event of run) events.push(event)
    const durationMs = duration()
    const result = await run.result
    // The run would wait for weeks, and its call would be executed once a person approves it.
    if (result.finishReason === 'approval' && agent.sessions.runs) await agent.cancel(result.runId)
    const error = runFailure(result)
    return { result, events, durationMs, ...(error && { error: infoOf(error) }) }
  } catch (error) {
    return { events, durationMs: duration(), error: infoOf(error) }
  }
}

/** The error that `chat()` would throw. */
function runFailure({ finishReason, error, text, approvals, warnings }: RunResult): AgentKitError | undefined {
  switch (finishReason) {
    case 'stop':
    case 'length':
    case 'content-filter':
      return undefined
    case 'budget':
    case 'max-steps':
    case 'no-progress':
      if (text !== '') return undefined
      return new AgentKitError(finishReason, `The run ended without an answer. ${warnings.at(-1) ?? ''}`.trim())
    case 'approval': {
      const names = approvals.map(({ name }) => `"${name}"`).join(', ')
      const fix = 'Evaluate an agent whose tools need no approval, and have an `execute`.'
      return new AgentKitError('approval', `The run waits for approval of ${names}. ${fix}`)
    }
    case 'aborted':
    case 'error':
      return error ?? new AgentKitError('aborted', 'The run ended without an answer.')
  }
}

function infoOf(thrown: unknown): ErrorInfo {
  const error = isAgentKitError(thrown)
    ? thrown
    : new AgentKitError('provider-error', `The agent failed: ${messageOf(thrown) || 'it threw.'}`)
  const info = toErrorInfo(error)
  return { ...info, message: firstChars(redactSecrets(info.message), limits.reasonChars) }
}
