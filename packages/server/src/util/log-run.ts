import type { AgentKitError, RunResult } from '@agentkit/core'
import { type Spent, traceIdOf } from '@agentkit/core/internal'
import { describeError, type LogEntry } from './log.ts'

type LoggedRun = Pick<RunResult, 'runId' | 'finishReason' | 'error'> & Partial<Spent>

type LogRun = {
  log: (entry: LogEntry) => void
  requestId?: string | undefined
  /**
   * When this process began to execute the run. Absent for a background run, which several processes may have executed.
   */
  startedAt?: number
}

/** Logs a run that has ended or was suspended, with the usage of the whole run and without its content. */
export function logRun(result: LoggedRun, { log, requestId, startedAt }: LogRun): void {
  const { runId, finishReason, error } = result
  const traceId = traceIdOf(result)
  // The caller who cancels a run knows of it.
  const failure = finishReason === 'aborted' ? undefined : error
  log({
    time: new Date().toISOString(),
    level: failure ? 'error' : 'info',
    message: messageOf(finishReason, failure),
    ...(requestId !== undefined && { request_id: requestId }),
    ...(traceId !== undefined && { trace_id: traceId }),
    run_id: runId,
    ...endFields(result),
    ...(startedAt !== undefined && { duration_ms: Math.round(performance.now() - startedAt) }),
    ...(failure && { code: failure.code, error: describeError(failure) }),
  })
}

/** How a run has ended, and what it has used until then. */
export function endFields({ finishReason, usage, cost }: Omit<LoggedRun, 'runId' | 'error'>): Partial<LogEntry> {
  const { inputTokens, outputTokens } = usage ?? {}
  return {
    finish_reason: finishReason,
    ...(inputTokens !== undefined && { input_tokens: inputTokens }),
    ...(outputTokens !== undefined && { output_tokens: outputTokens }),
    ...(cost && { cost: cost.usd }),
  }
}

function messageOf(finishReason: RunResult['finishReason'], failure: AgentKitError | undefined): string {
  if (failure) return 'A run has failed.'
  return finishReason === 'approval' ? 'A run waits for approval.' : 'A run has ended.'
}
