import { isRecord, parseJSON } from '../util/json.ts'

/** A failed call in one form, from an SDK's error or from an error frame. */
export type Failure = {
  /** HTTP status, if there was a response. */
  status?: number
  code?: string
  type?: string
  /** The provider's own message. */
  message: string
  headers?: Headers
  /** The response body, as text. */
  body?: string
  /** The wait that the body asks for, in milliseconds; a header takes precedence. */
  retryAfterMs?: number
  /** The request id in the body; a header takes precedence. */
  requestId?: string
  /** The output of the model that the provider could not parse. */
  failedGeneration?: string
}

/** The failure that an error body or an error frame describes: `{ error: { message, code, type } }`, flat, or plain text. */
export function failureOfBody(body: unknown): Failure {
  // Gemini may send a list with one item.
  const outer = Array.isArray(body) && body.length > 0 ? body[0] : body
  const inner = isRecord(outer) && hasError(outer) ? outer.error : outer
  if (!isRecord(inner)) {
    // Ollama forwards the JSON of its runner as a string.
    const forwarded = typeof inner === 'string' ? parseJSON(inner) : undefined
    return {
      ...(isRecord(forwarded) ? failureOfBody(forwarded) : { message: textOrJSON(inner) }),
      body: textOrJSON(body),
    }
  }
  const message = textOrJSON(inner.message ?? inner.detail ?? inner)
  // OpenRouter says "Provider returned error", and adds what the provider has said.
  const raw = isRecord(inner.metadata) ? inner.metadata.raw : undefined
  const failure: Failure = { message: typeof raw === 'string' ? `${message}: ${raw}` : message, body: textOrJSON(body) }
  const status = [
    inner.status,
    inner.code,
    inner.raw_status_code,
    inner.status_code,
    inner.http_status_code,
    isRecord(outer) && outer.status_code,
  ]
    .map(Number)
    .find((number) => number >= 400 && number < 600)
  if (status !== undefined) failure.status = status
  const code = inner.code ?? inner.error
  if (typeof code === 'string') failure.code = code
  const type = inner.type ?? inner.status
  if (typeof type === 'string') failure.type = type
  const deeper = isRecord(inner.innererror) ? inner.innererror.code : undefined
  if (failure.code === undefined && typeof deeper === 'string') failure.code = deeper
  const requestId = isRecord(outer) ? (outer.request_id ?? inner.request_id) : undefined
  if (typeof requestId === 'string') failure.requestId = requestId
  if (typeof inner.failed_generation === 'string') failure.failedGeneration = inner.failed_generation
  return failure
}

/** Frameworks of gateways have the name of the error in `error`, such as "Bad Request", and the reason in `message`. */
function hasError({ error, message }: Readonly<Record<string, unknown>>): boolean {
  return error !== undefined && error !== null && (isRecord(error) || typeof message !== 'string')
}

/** Whether an object is an error without a name for it: gateways answer `{ message }` or `{ detail }`, also under 200. */
export function isFlatError(body: object): boolean {
  const { message, detail } = body as Readonly<Record<string, unknown>>
  return typeof message === 'string' || typeof detail === 'string'
}

function textOrJSON(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
}

/**
 * The failure that an SDK's error describes. The SDKs of OpenAI, Anthropic and Groq share one shape: `status`, `headers`
 * and the parsed body as `error`, which Groq nests once more.
 */
export function failureOfSdkError(error: unknown): Failure {
  if (error instanceof RefusedRequest) return error.failure
  const { status, headers, error: body, message } = isRecord(error) ? error : {}
  // xAI's error is a text; the SDK's message has it in quotation marks.
  const failure =
    isRecord(body) || (typeof body === 'string' && body !== '')
      ? failureOfBody(body)
      : { message: typeof message === 'string' ? withoutStatus(message, status) : String(error) }
  if (typeof status === 'number') failure.status = status
  if (headers instanceof Headers) failure.headers = headers
  return failure
}

/** The SDKs put the status before the message; `providerError` does so too. */
function withoutStatus(message: string, status: unknown): string {
  if (message === `${status} status code (no body)`) return 'it gave no reason.'
  return message.startsWith(`${status} `) ? message.slice(`${status} `.length) : message
}

/** A response with an unsuccessful status. */
export class RefusedRequest extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}
