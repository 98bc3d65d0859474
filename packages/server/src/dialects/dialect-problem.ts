import { objectOf } from '../answer/answer-schemas.ts'
import { ProblemError, problemHeaders, problemResponse } from '../answer/problem.ts'
import type { RouteRules } from '../request/parts.ts'
import { a2aFailure } from './a2a/a2a-error.ts'
import { mcpFailure } from './mcp/mcp-error.ts'
import { openaiProblem } from './openai/openai-problem.ts'

/** The answer to a request that failed, in the form of its protocol: the path decides. */
export function dialectProblem(path: string, problem: ProblemError, requestId: string): Response {
  const dialect = dialectOf(path)
  if (dialect === 'openai') return openaiProblem(problem)
  if (dialect === 'ui') return uiProblem(problem)
  if (dialect === 'agui') return aguiProblem(problem)
  if (dialect === 'a2a') return a2aFailure(problem, null, requestId)
  if (dialect === 'mcp') return mcpFailure(problem, null, requestId)
  return problemResponse(problem, requestId)
}

const text = { type: 'string' }
// The SDK of MCP answers some requests itself, without data.
const rpcError = objectOf({ code: { type: 'integer' }, message: text }, { data: {} })
const rpcFailure = objectOf({ jsonrpc: { const: '2.0' }, id: { type: ['string', 'number', 'null'] }, error: rpcError })
const openaiFailure = objectOf({ message: text, type: text, param: { type: ['string', 'null'] }, code: text })

const failureContents: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  openai: { 'application/json': objectOf({ error: openaiFailure }) },
  ui: { 'text/plain': text },
  agui: { 'application/json': objectOf({ type: { const: 'RUN_ERROR' }, message: text, code: text }) },
  a2a: { 'application/json': rpcFailure },
  mcp: { 'application/json': rpcFailure },
}

/**
 * The content of the answers of {@link dialectProblem} on a path, for `/openapi.json`: `undefined` for a problem (RFC
 * 9457).
 */
export function failureContent(path: string): Readonly<Record<string, object>> | undefined {
  return failureContents[dialectOf(path) ?? '']
}

/** A path that no route has: of a protocol that is not served, or none of ours, such as the `/api/chat` of another library. */
export function noRoute(path: string, { basePath, dialects }: Pick<RouteRules, 'basePath' | 'dialects'>): ProblemError {
  const dialect = dialectOf(path)
  if (dialect && !dialects.has(dialect)) {
    const detail = `This server does not speak "${dialect}": add it to the list \`dialects\` of its options.`
    return new ProblemError('not-found', { detail })
  }
  const useChat = dialects.has('ui') ? `, that of useChat POST ${basePath}/ui/chat` : ''
  return new ProblemError('not-found', {
    detail: `There is no such route. A chat is POST ${basePath}/api/v1/chat${useChat}.`,
  })
}

function dialectOf(path: string): string | undefined {
  if (path.startsWith('/v1/')) return 'openai'
  if (path.startsWith('/ui/')) return 'ui'
  return ['agui', 'a2a', 'mcp'].find((name) => path === `/${name}`)
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
