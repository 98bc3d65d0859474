import { type ProblemError, problemHeaders, problemResponse } from '../answer/problem.ts'
import { a2aFailure } from './a2a/a2a-error.ts'
import { mcpFailure } from './mcp/mcp-error.ts'
import { openaiProblem } from './openai/openai-problem.ts'

/** The answer to a request that failed, in the form of its protocol: the path decides. */
export function dialectProblem(path: string, problem: ProblemError, requestId: string): Response {
  if (path.startsWith('/v1/')) return openaiProblem(problem)
  if (path.startsWith('/ui/')) return uiProblem(problem)
  if (path === '/agui') return aguiProblem(problem)
  if (path === '/a2a') return a2aFailure(problem, null, requestId)
  if (path === '/mcp') return mcpFailure(problem, null, requestId)
  return problemResponse(problem, requestId)
}

/** `useChat` shows the whole body as the message of its error. */
function uiProblem(problem: ProblemError): Response {
  const headers = { ...problemHeaders(problem), 'content-type': 'text/plain; charset=utf-8' }
  return new Response(problem.detail, { status: problem.status, headers })
}

function aguiProblem(problem: ProblemError): Response {
  const { code, detail: message, status } = problem
  const headers = { ...problemHeaders(problem), 'content-type': 'application/json' }
  return new Response(JSON.stringify({ type: 'RUN_ERROR', message, code }), { status, headers })
}
