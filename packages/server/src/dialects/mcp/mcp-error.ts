import { type ProblemError, problemHeaders } from '../../answer/problem.ts'

/** The id of a JSON-RPC request. */
export type RequestId = string | number | null

/**
 * The answer to a request that failed: an error of JSON-RPC, under the status of the problem.
 *
 * Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
export function mcpFailure(problem: ProblemError, id: RequestId, requestId: string): Response {
  const headers = { ...problemHeaders(problem), 'content-type': 'application/json' }
  const data = { ...errorData(problem), request_id: requestId }
  const error = { code: rpcCode(problem), message: problem.detail, data }
  return new Response(JSON.stringify({ jsonrpc: '2.0', id, error }), { status: problem.status, headers })
}

/** The part of an error for programs. */
export function errorData({ code, errors }: ProblemError): Record<string, unknown> {
  return { code, ...(errors && { errors }) }
}

/** The code of JSON-RPC. It has none for limits, tokens and failures of the server: -32000. */
export function rpcCode({ code, status }: ProblemError): number {
  switch (code) {
    case 'malformed-json':
      return -32700
    case 'unsupported':
      return status === 404 ? -32601 : -32600
    case 'missing-field':
    case 'invalid-field':
      return -32602
    case 'internal-error':
    case 'missing-package':
      return -32603
    default:
      return -32000
  }
}

/** The status of an error whose code is JSON-RPC's or MCP's own. */
export function statusOfCode(code: number): number {
  switch (code) {
    case -32601:
      return 404
    case -32603:
      return 500
    default:
      return 400
  }
}

/** The id of the message that was sent, if it has one. */
export function requestIdOf(sent: unknown): RequestId {
  const { id } = typeof sent === 'object' && sent !== null ? (sent as { id?: unknown }) : {}
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
