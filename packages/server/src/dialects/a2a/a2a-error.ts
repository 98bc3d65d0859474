import { ProblemError, problemHeaders } from '../../answer/problem.ts'

/** The id of a JSON-RPC call. */
export type CallId = string | number | null

const kinds = {
  ParseError: { code: -32700, status: 400 },
  InvalidRequest: { code: -32600, status: 400 },
  MethodNotFound: { code: -32601, status: 404 },
  InvalidParams: { code: -32602, status: 422 },
  InternalError: { code: -32603, status: 500 },
  ServerError: { code: -32000, status: 500 },
  TaskNotFound: { code: -32001, status: 404 },
  TaskNotCancelable: { code: -32002, status: 409 },
  PushNotificationNotSupported: { code: -32003, status: 400 },
  UnsupportedOperation: { code: -32004, status: 400 },
  ContentTypeNotSupported: { code: -32005, status: 415 },
  VersionNotSupported: { code: -32009, status: 400 },
} as const

type Kind = keyof typeof kinds

/** A failure that A2A has a code for. */
export class A2AError extends ProblemError {
  readonly kind: Kind

  constructor(kind: Kind, detail: string) {
    const { status } = kinds[kind]
    super(status === 404 ? 'not-found' : 'invalid-field', { detail, status })
    this.kind = kind
  }
}

/**
 * The answer to a call that failed: an error of JSON-RPC, under the status of the problem.
 *
 * Source: https://a2a-protocol.org/v1.0.0/specification/ §5.4, §9.5
 */
export function a2aFailure(problem: ProblemError, id: CallId, requestId: string): Response {
  const headers = { ...problemHeaders(problem), 'content-type': 'application/json' }
  const body = JSON.stringify({ jsonrpc: '2.0', id, error: errorBody(problem, requestId) })
  return new Response(body, { status: problem.status, headers })
}

/** @param requestId absent within a stream, whose headers have it */
export function errorBody(problem: ProblemError, requestId?: string): object {
  const kind = kindOf(problem)
  // Clients know the reasons of the protocol's own errors.
  const isOwn = problem instanceof A2AError || kinds[kind].code < kinds.ServerError.code
  const reason = (isOwn ? kind : problem.code).replace(/(?<=[a-z])(?=[A-Z])|-/g, '_').toUpperCase()
  const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'a2a-protocol.org' }
  const fields = problem.errors?.map(({ path, message }) => ({ field: path.join('.'), description: message }))
  return {
    code: kinds[kind].code,
    message: problem.detail,
    data: [
      { ...info, ...(requestId !== undefined && { metadata: { requestId } }) },
      ...(fields ? [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: fields }] : []),
    ],
  }
}

function kindOf(problem: ProblemError): Kind {
  if (problem instanceof A2AError) return problem.kind
  switch (problem.code) {
    case 'malformed-json':
      return 'ParseError'
    case 'missing-field':
    case 'invalid-field':
      return 'InvalidParams'
    case 'not-found':
      return 'TaskNotFound'
    case 'unsupported':
      return 'UnsupportedOperation'
    case 'unsupported-media-type':
      return 'ContentTypeNotSupported'
    case 'method-not-allowed':
    case 'payload-too-large':
      return 'InvalidRequest'
    case 'internal-error':
      return 'InternalError'
    default:
      return 'ServerError'
  }
}
