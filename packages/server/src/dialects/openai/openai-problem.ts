import { type FieldError, type ProblemError, problemHeaders } from '../../answer/problem.ts'
import type { ProblemCode } from '../../answer/problem-table.ts'

export type OpenAIError = { message: string; type: string; param: string | null; code: string }

/** The answer to a failed request, as OpenAI's clients read it: `{ error: { message, type, param, code } }`. */
export function openaiProblem(problem: ProblemError): Response {
  const headers = { ...problemHeaders(problem), 'content-type': 'application/json' }
  return new Response(JSON.stringify({ error: openaiError(problem) }), { status: statusOf(problem), headers })
}

export function openaiError(problem: ProblemError): OpenAIError {
  const { detail, code, errors } = problem
  const param = paramOf(errors)
  return { message: detail, type: typeOf(statusOf(problem)), param, code: codeOf(code, param) }
}

/** OpenAI answers with 400 to fields that are missing or wrong, and to what its model does not take. */
function statusOf({ status }: ProblemError): number {
  return status === 422 ? 400 : status
}

function typeOf(status: number): string {
  if (status >= 500) return 'server_error'
  return status === 429 ? 'rate_limit_error' : 'invalid_request_error'
}

const codes: Partial<Record<ProblemCode, string>> = {
  'missing-field': 'missing_required_parameter',
  'invalid-field': 'invalid_value',
  unsupported: 'unsupported_parameter',
  'malformed-json': 'invalid_json',
  unauthorized: 'invalid_api_key',
  'rate-limit': 'rate_limit_exceeded',
  budget: 'insufficient_quota',
  'context-overflow': 'context_length_exceeded',
  'internal-error': 'server_error',
}

function codeOf(code: ProblemCode, param: string | null): string {
  if (code === 'not-found' && param === 'model') return 'model_not_found'
  if (code === 'not-found' && param === 'previous_response_id') return 'previous_response_not_found'
  return codes[code] ?? code.replaceAll('-', '_')
}

/** Such as `messages[2].content`. */
function paramOf(errors: readonly FieldError[] | undefined): string | null {
  const [first] = errors ?? []
  if (!first) return null
  return first.path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    return text === '' ? key : `${text}.${key}`
  }, '')
}
