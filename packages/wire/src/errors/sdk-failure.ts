import { RefusedRequest } from '../http/take-response.ts'
import { isRecord } from '../util/is-record.ts'
import { type Failure, failureOfBody } from './failure.ts'

/**
 * What the error of an SDK tells. The SDKs of OpenAI, Anthropic and Groq have one shape: `status`, `headers`, and
 * the parsed body as `error`, in Groq's once more nested.
 */
export function failureOfSdkError(error: unknown): Failure {
  if (error instanceof RefusedRequest) return error.failure
  const { status, headers, error: body, message } = isRecord(error) ? error : {}
  const failure = isRecord(body)
    ? failureOfBody(body)
    : { message: typeof message === 'string' ? withoutStatus(message, status) : String(error) }
  if (typeof status === 'number') failure.status = status
  if (headers instanceof Headers) failure.headers = headers
  return failure
}

/** The SDKs put it before the words, and so do we. */
function withoutStatus(message: string, status: unknown): string {
  return message.startsWith(`${status} `) ? message.slice(`${status} `.length) : message
}
