import { type ErrorInfo, isAgentKitError, type RunFinishReason, type RunResult } from '@agentkit/core'
import { isDiskFull, problemType } from '@agentkit/core/internal'
import { type ProblemCode, problemTable, sentenceOf } from './problem-table.ts'

/** An error in the form, with the path of its field. */
export type FieldError = { path: (string | number)[]; message: string }

type ProblemDetails = {
  /** Replaces the status of the code. */
  status?: number
  /** Replaces the title of the code. */
  title?: string
  /** A sentence for the client that replaces the code's. Never the text of a foreign error. */
  detail?: string
  errors?: FieldError[]
  /** More members of the body. */
  members?: Readonly<Record<string, number | null>>
  headers?: Record<string, string>
  /** Logged, never sent. */
  cause?: unknown
  /** The problem is not logged, because many of its kind occur at once. */
  quiet?: boolean
}

/** How a run has ended. */
type RunEnd = { finishReason: RunFinishReason; error?: ErrorInfo | undefined } & Partial<
  Pick<RunResult, 'usage' | 'cost'>
>

/** A failure with its HTTP status, headers and sentence. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly code: ProblemCode
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly errors: FieldError[] | undefined
  readonly members: Readonly<Record<string, number | null>>
  readonly headers: Record<string, string>
  readonly quiet: boolean
  /** Of a run that has failed: how it ended, and what it has used. Logged, never sent. */
  run?: Pick<RunEnd, 'finishReason' | 'usage' | 'cost'>

  constructor(code: ProblemCode, details: ProblemDetails = {}) {
    const kind = problemTable[code]
    const detail = details.detail ?? kind.detail
    super(detail, { cause: details.cause })
    this.code = code
    this.status = details.status ?? kind.status
    this.title = details.title ?? kind.title
    this.detail = detail
    this.errors = details.errors
    this.members = details.members ?? {}
    this.headers = details.headers ?? {}
    this.quiet = details.quiet ?? false
  }
}

/** Another process continues the run, and answers: the next one, where the server stops. */
export class LeftToOthers extends ProblemError {
  constructor(isStopping: boolean) {
    const why = isStopping ? 'The server is shutting down. The run continues' : 'Another process continues the run'
    const headers = { 'retry-after': '1', connection: 'close' }
    super('overloaded', { detail: `${why}: read it by the id in X-Run-Id.`, headers, quiet: true })
  }
}

/** The problem of an error that a run has thrown. An error other than AgentKitError comes from a model. */
export function thrownProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  return isAgentKitError(error) ? failureProblem(error) : new ProblemError('provider-error', { cause: error })
}

/** Throws the problem of an error: `.catch(throwProblem)`. */
export function throwProblem(error: unknown): never {
  throw thrownProblem(error)
}

/** A conflict that the same request will meet again: clients are not to retry it. */
export function finalConflict(detail: string): ProblemError {
  return new ProblemError('session-conflict', { detail, headers: { 'x-should-retry': 'false' } })
}

/** The problem of an error that a handler has thrown: one of ours, as a store throws it, has its own status. */
export function handlerProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (isAgentKitError(error)) return failureProblem(error)
  return new ProblemError(isDiskFull(error) ? 'insufficient-storage' : 'internal-error', { cause: error })
}

/** The problem of an error of ours: the code alone decides its status, and with the phase its sentence. */
export function failureProblem(error: ErrorInfo): ProblemError {
  // Another version of core may have codes that this table lacks.
  const known: ProblemCode = Object.hasOwn(problemTable, error.code) ? error.code : 'internal-error'
  const code = known === 'storage' && isDiskFull(error) ? 'insufficient-storage' : known
  const seconds = retryAfterSeconds(code, error.retryAfterMs)
  return new ProblemError(code, {
    cause: error,
    ...(code === 'timeout' && { detail: sentenceOf(error) }),
    ...(seconds !== undefined && { headers: { 'retry-after': String(seconds) } }),
  })
}

/** The problem of a run that failed. Runs that end by a budget, a step limit or an approval have not failed. */
export function runProblem(end: RunEnd): ProblemError | undefined {
  const { finishReason, error, usage, cost } = end
  if (finishReason !== 'error' && finishReason !== 'aborted') return undefined
  const isAborted = finishReason === 'aborted'
  const problem = error ? failureProblem(error) : new ProblemError(isAborted ? 'aborted' : 'provider-error')
  problem.run = { finishReason, ...(usage && { usage }), ...(cost && { cost }) }
  return problem
}

/** The delay of the error itself or of its code, for codes where a retry helps. */
function retryAfterSeconds(code: ProblemCode, retryAfterMs: number | undefined): number | undefined {
  const usual = problemTable[code].retryAfterSeconds
  if (usual === undefined || retryAfterMs === undefined || !Number.isFinite(retryAfterMs)) return usual
  return Math.max(1, Math.ceil(retryAfterMs / 1000))
}

/** The HTTP response for a problem. */
export function problemResponse(problem: ProblemError, requestId: string): Response {
  return new Response(problemBody(problem, requestId), { status: problem.status, headers: problemHeaders(problem) })
}

/** RFC 9457: `{ type, title, status, detail, code, request_id, errors? }`. */
export function problemBody(problem: ProblemError, requestId: string): string {
  return JSON.stringify({
    type: problemType(problem.code),
    title: problem.title,
    status: problem.status,
    detail: problem.detail,
    code: problem.code,
    request_id: requestId,
    ...(problem.errors && { errors: problem.errors }),
    ...problem.members,
  })
}

export function problemHeaders(problem: ProblemError): Record<string, string> {
  return { ...problem.headers, 'content-type': 'application/problem+json' }
}
