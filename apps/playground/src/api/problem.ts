/** An answer of the server that is not the expected one, as `application/problem+json` describes it. */
export type Problem = {
  status: number
  code: string
  detail: string
  requestId?: string
  /** The id of the run that has failed. */
  runId?: string
}

export class RequestError extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail)
    this.name = 'RequestError'
    this.problem = problem
  }
}

/** The problem of whatever was thrown; a request that reached no server has the code `unreachable`. */
export function problemOf(error: unknown): Problem {
  if (error instanceof RequestError) return error.problem
  return { status: 0, code: 'unreachable', detail: '' }
}

const maxDetail = 2_000

export function requestIdOf({ headers }: Response): string | undefined {
  return headers.get('x-request-id') ?? undefined
}

/** Reads a failed response. A proxy may answer with anything. */
export async function readProblem(response: Response): Promise<Problem> {
  const runId = response.headers.get('x-run-id')
  const body: unknown = await response.json().catch(() => undefined)
  const { code, detail, request_id } =
    typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  const id = typeof request_id === 'string' ? request_id : requestIdOf(response)
  return {
    status: response.status,
    code: typeof code === 'string' ? code : 'http',
    detail: typeof detail === 'string' ? detail.slice(0, maxDetail) : response.statusText,
    ...(id && { requestId: id.slice(0, 200) }),
    ...(runId && { runId }),
  }
}
