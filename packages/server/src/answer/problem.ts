import { type ErrorInfo, isAgentKitError, type RunFinishReason } from '@agentkit/core'
import { type ProblemCode, problemTable } from './problem-table.ts'

/** What is wrong, and where in the form. */
export type FieldError = { path: (string | number)[]; message: string }

type ProblemDetails = {
  /** Our own sentence for the client, in place of the code's. Never somebody else's error text. */
  detail?: string
  errors?: FieldError[]
  headers?: Record<string, string>
  /** What the log is told. */
  cause?: unknown
  /** Not logged: one of many of its kind. */
  quiet?: boolean
}

/** A failure that already knows how it looks over HTTP. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly code: ProblemCode
  readonly status: number
  readonly detail: string
  readonly errors: FieldError[] | undefined
  readonly headers: Record<string, string>
  readonly quiet: boolean

  constructor(code: ProblemCode, details: ProblemDetails = {}) {
    const kind = problemTable[code]
    const detail = details.detail ?? kind.detail
    super(detail, { cause: details.cause })
    this.code = code
    this.status = kind.status
    this.detail = detail
    this.errors = details.errors
    this.headers = details.headers ?? {}
    this.quiet = details.quiet ?? false
  }
}

/** The problem that a thrown failure of a run is. One that is not ours came from a model: core answers for the rest. */
export function thrownProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  return isAgentKitError(error) ? failureProblem(error) : new ProblemError('provider-error', { cause: error })
}

/** The problem that a run's failure is: status and words by its code alone. */
export function failureProblem(error: ErrorInfo): ProblemError {
  // Another copy of core may know a code that this table does not.
  const code: ProblemCode = Object.hasOwn(problemTable, error.code) ? error.code : 'internal-error'
  const seconds = retryAfterSeconds(code, error.retryAfterMs)
  return new ProblemError(code, {
    cause: error,
    ...(seconds !== undefined && { headers: { 'retry-after': String(seconds) } }),
  })
}

/** The failure that a run ended in, if it did: budgets, step limits and approvals are answers, not failures. */
export function failureOf(end: { finishReason: RunFinishReason; error?: ErrorInfo }): ProblemError | undefined {
  if (end.finishReason !== 'error' && end.finishReason !== 'aborted') return undefined
  if (end.error) return failureProblem(end.error)
  return new ProblemError(end.finishReason === 'aborted' ? 'aborted' : 'provider-error')
}

/** Only where waiting helps; the failure's own time, or the code's. */
function retryAfterSeconds(code: ProblemCode, retryAfterMs: number | undefined): number | undefined {
  const usual = problemTable[code].retryAfterSeconds
  if (usual === undefined || retryAfterMs === undefined || !Number.isFinite(retryAfterMs)) return usual
  return Math.max(1, Math.ceil(retryAfterMs / 1000))
}

/** The answer to a request that has this problem. */
export function problemResponse(problem: ProblemError, requestId: string): Response {
  return new Response(problemBody(problem, requestId), { status: problem.status, headers: problemHeaders(problem) })
}

/** RFC 9457: `{ type, title, status, detail, code, request_id, errors? }`. */
export function problemBody(problem: ProblemError, requestId: string): string {
  return JSON.stringify({
    type: `urn:agentkit:problem:${problem.code}`,
    title: problemTable[problem.code].title,
    status: problem.status,
    detail: problem.detail,
    code: problem.code,
    request_id: requestId,
    ...(problem.errors && { errors: problem.errors }),
  })
}

export function problemHeaders(problem: ProblemError): Record<string, string> {
  return { ...problem.headers, 'content-type': 'application/problem+json' }
}
