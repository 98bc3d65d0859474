import { traceIdOf } from '@agentkit/core/internal'
import { describeError, type LogEntry } from '../util/log.ts'
import type { ServerContext } from '../util/server-env.ts'
import { type ProblemError, runProblem } from './problem.ts'

/** Logs a request that failed on the server's side, unless its client has left or its run was cancelled. */
export function logProblem(problem: ProblemError, context: ServerContext, log: (entry: LogEntry) => void): void {
  if (isLogged(problem, context)) log(problemEntry(problem, context))
}

/** Codes of runs that are refused before they begin. */
const refusals: ReadonlySet<string> = new Set([
  ...['invalid-argument', 'not-found', 'session-busy', 'session-conflict', 'unsupported'],
])

/** Whether a run that has ended is logged by itself: it has begun, and its request is not logged as failed. */
export function hasOwnLine(end: Parameters<typeof runProblem>[0], context: ServerContext): boolean {
  const problem = runProblem(end)
  return !problem || !(refusals.has(problem.code) || isLogged(problem, context))
}

function isLogged({ status, quiet, code }: ProblemError, context: ServerContext): boolean {
  return status >= 500 && !quiet && code !== 'aborted' && !context.req.raw.signal.aborted
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
