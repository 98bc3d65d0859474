import { terminalLine } from '@agentkit/core'
import { traceIdOf } from '@agentkit/core/internal'
import { describeError, type LogEntry } from '../util/log.ts'
import { endFields } from '../util/log-run.ts'
import type { ServerContext } from '../util/server-env.ts'
import { type ProblemError, runProblem } from './problem.ts'

/** What log lines say of a request. A run keeps it in place of the request, whose headers and body take memory. */
export type LoggedRequest = {
  id: string
  /** `performance.now()` when the request arrived. */
  startedAt: number
  client: string | undefined
  method: string
  path: string
  /** Aborts when the client leaves. */
  signal: AbortSignal
  /** The run that answers, once it has begun. */
  runId: string | undefined
}

export function loggedRequest(context: ServerContext): LoggedRequest {
  const { method, path, raw } = context.req
  return {
    ...{ id: context.get('requestId'), startedAt: context.get('startedAt'), client: context.get('clientAddress') },
    ...{ method, path, signal: raw.signal, runId: context.get('runId') },
  }
}

/** Logs a request that failed on the server's side, unless its client has left or its run was cancelled. */
export function logProblem(problem: ProblemError, request: LoggedRequest, log: (entry: LogEntry) => void): void {
  if (isLogged(problem, request)) log(problemEntry(problem, request))
}

/** Codes of runs that are refused before they begin. */
const refusals: ReadonlySet<string> = new Set([
  ...['invalid-argument', 'not-found', 'session-busy', 'session-conflict', 'unsupported'],
])

/** Whether a run that has ended is logged by itself: it has begun, and its request is not logged as failed. */
export function hasOwnLine(end: Parameters<typeof runProblem>[0], request: LoggedRequest): boolean {
  const problem = runProblem(end)
  return !problem || !(refusals.has(problem.code) || isLogged(problem, request))
}

function isLogged({ status, quiet, code }: ProblemError, { signal }: LoggedRequest): boolean {
  return status >= 500 && !quiet && code !== 'aborted' && !signal.aborted
}

/** The log entry of a request that has this problem. */
export function problemEntry(problem: ProblemError, request: LoggedRequest): LogEntry {
  const { id, startedAt, client, method, path, runId } = request
  const traceId = traceIdOf(problem.cause)
  return {
    time: new Date().toISOString(),
    level: 'error',
    message: problem.detail,
    request_id: id,
    ...(traceId !== undefined && { trace_id: traceId }),
    ...(runId !== undefined && { run_id: runId }),
    ...(problem.run && endFields(problem.run)),
    ...(client !== undefined && { client }),
    method,
    // Hono decodes it, and a logger of another library may print texts as they are.
    path: terminalLine(path),
    status: problem.status,
    code: problem.code,
    duration_ms: Math.round(performance.now() - startedAt),
    ...(problem.cause !== undefined && { error: describeError(problem.cause) }),
  }
}
