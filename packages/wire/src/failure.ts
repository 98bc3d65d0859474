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
}

/**
 * What the error of an SDK tells. The SDKs of OpenAI, Anthropic and Groq have one shape: `status`, `headers`, and
 * the parsed body as `error`, in Groq's once more nested.
 */
export function failureOfSdkError(error: unknown): Failure {
  const { status, headers, error: body, message } = (isRecord(error) ? error : {}) as Record<string, unknown>
  const failure = isRecord(body)
    ? failureOfBody(body)
    : { message: typeof message === 'string' ? message : String(error) }
  if (typeof status === 'number') failure.status = status
  if (headers instanceof Headers) failure.headers = headers
  return failure
}

/** What an error body or an error frame tells: `{ error: { message, code, type } }`, flat, or a bare text. */
export function failureOfBody(body: unknown): Failure {
  const inner = isRecord(body) && body.error !== undefined && body.error !== null ? body.error : body
  if (!isRecord(inner)) return { message: textOf(inner), body: textOf(body) }
  const failure: Failure = { message: textOf(inner.message ?? inner.detail ?? inner), body: textOf(body) }
  const status = [inner.status, inner.code].map(Number).find((number) => number >= 400 && number < 600)
  if (status !== undefined) failure.status = status
  if (typeof inner.code === 'string') failure.code = inner.code
  if (typeof inner.type === 'string') failure.type = inner.type
  const deeper = isRecord(inner.innererror) ? inner.innererror.code : undefined
  if (failure.code === undefined && typeof deeper === 'string') failure.code = deeper
  return failure
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
