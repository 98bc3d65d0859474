import type { RunResult } from '@agentkit/core'
import { type Spent, traceIdOf } from '@agentkit/core/internal'
import type { LogEntry } from './log.ts'

type LogRun = { log: (entry: LogEntry) => void; requestId?: string; startedAt: number }

/** Logs a run that has ended without an error, or waits, with what it has used and without what was said. */
export function logRun(result: RunResult, { log, requestId, startedAt }: LogRun): void {
  const { runId, finishReason } = result
  const traceId = traceIdOf(result)
  log({
    ...spentEntry(runId, result),
    message: finishReason === 'approval' ? 'A run waits for approval.' : 'A run has ended.',
    ...(requestId !== undefined && { request_id: requestId }),
    ...(traceId !== undefined && { trace_id: traceId }),
    finish_reason: finishReason,
    duration_ms: Math.round(performance.now() - startedAt),
  })
}

/** What a run has used; of one that a worker has continued no more is known. */
export function spentEntry(runId: string, { usage = {}, cost }: Spent): LogEntry {
  const { inputTokens, outputTokens } = usage
  return {
    time: new Date().toISOString(),
    level: 'info',
    message: 'A background run has ended or waits.',
    run_id: runId,
    ...(inputTokens !== undefined && { input_tokens: inputTokens }),
    ...(outputTokens !== undefined && { output_tokens: outputTokens }),
    ...(cost && { cost: cost.usd }),
  }
}
