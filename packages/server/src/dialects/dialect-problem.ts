import { type ProblemError, problemHeaders, problemResponse } from '../answer/problem.ts'

/** The answer to a request that failed, in the form of its protocol: the path decides. */
export function dialectProblem(path: string, problem: ProblemError, requestId: string): Response {
  if (path === '/agui') {
    const { code, detail: message, status } = problem
    const headers = { ...problemHeaders(problem), 'content-type': 'application/json' }
    return new Response(JSON.stringify({ type: 'RUN_ERROR', message, code }), { status, headers })
  }
  if (!path.startsWith('/ui/')) return problemResponse(problem, requestId)
  // `useChat` shows the whole body as the message of its error.
  const headers = { ...problemHeaders(problem), 'content-type': 'text/plain; charset=utf-8' }
  return new Response(problem.detail, { status: problem.status, headers })
}
