import { isRecord, parseJSON } from '../util/json.ts'

/** What is known of a failed call, whatever SDK or frame told it. */
export type Failure = {
  /** HTTP status, where there was an answer. */
  status?: number
  code?: string
  type?: string
  /** In the provider's words. */
  message: string
  headers?: Headers
  /** What the provider sent, as text. */
  body?: string
  /** How long to wait, in milliseconds, where the body says so and no header does. */
  retryAfterMs?: number
  /** The request's id, where the body has it and no header does. */
  requestId?: string
  /** What the model wrote, where that is what failed. */
  failedGeneration?: string
}

/** What an error body or an error frame tells: `{ error: { message, code, type } }`, flat, or a bare text. */
export function failureOfBody(body: unknown): Failure {
  // Gemini's answers may be a list of one.
  const told = Array.isArray(body) && body.length > 0 ? body[0] : body
  const inner = isRecord(told) && told.error !== undefined && told.error !== null ? told.error : told
  if (!isRecord(inner)) {
    // Ollama hands on what its runner says as it came.
    const handedOn = typeof inner === 'string' ? parseJSON(inner) : undefined
    return { ...(isRecord(handedOn) ? failureOfBody(handedOn) : { message: textOf(inner) }), body: textOf(body) }
  }
  const failure: Failure = { message: textOf(inner.message ?? inner.detail ?? inner), body: textOf(body) }
  const status = [inner.status, inner.code, inner.raw_status_code]
    .map(Number)
    .find((number) => number >= 400 && number < 600)
  if (status !== undefined) failure.status = status
  if (typeof inner.code === 'string') failure.code = inner.code
  const type = inner.type ?? inner.status
  if (typeof type === 'string') failure.type = type
  const deeper = isRecord(inner.innererror) ? inner.innererror.code : undefined
  if (failure.code === undefined && typeof deeper === 'string') failure.code = deeper
  const requestId = isRecord(told) ? (told.request_id ?? inner.request_id) : undefined
  if (typeof requestId === 'string') failure.requestId = requestId
  if (typeof inner.failed_generation === 'string') failure.failedGeneration = inner.failed_generation
  return failure
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
}

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

/** An answer with a status that is no success, as it came. */
export class RefusedRequest extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}
