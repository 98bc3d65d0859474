import { traceIdOf } from '@agentkit/core/internal'
import { describeError, type LogEntry } from '../util/log.ts'
import type { ServerContext } from '../util/server-env.ts'
import type { ProblemError } from './problem.ts'

/** Logs a request that failed on the server's side, unless its client has left. */
export function logProblem(problem: ProblemError, context: ServerContext, log: (entry: LogEntry) => void): void {
  if (problem.status < 500 || problem.quiet || context.req.raw.signal.aborted) return
  log(problemEntry(problem, context))
}

/** The log entry of a request that has this problem. */
export function problemEntry(problem: ProblemError, context: ServerContext): LogEntry {
  const client = context.get('clientAddress')
  const traceId = traceIdOf(problem.cause)
  const runId = context.get('runId')
  return {
    time: new Date().toISOString(),
    level: 'error',
    message: problem.detail,
    request_id: context.get('requestId'),
    ...(traceId !== undefined && { trace_id: traceId }),
    ...(runId !== undefined && { run_id: runId }),
    ...(client !== undefined && { client }),
    method: context.req.method,
    path: context.req.path,
    status: problem.status,
    code: problem.code,
    duration_ms: Math.round(performance.now() - context.get('startedAt')),
    ...(problem.cause !== undefined && { error: describeError(problem.cause) }),
  }
}
