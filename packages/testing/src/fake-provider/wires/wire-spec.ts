import type { FakeAnswer, FakeStatus, RecordedRequest, StreamFault } from './script.ts'

/** One provider's server: paths, keys, checks, answers, errors. It has no state between requests. */
export type WireSpec = {
  /** The path of `url`, which the SDK takes as its base: `/v1` for OpenAI, '' for most. */
  basePath: string
  framing: 'sse' | 'ndjson'
  /** How lines end unless the script says otherwise; '\n' when absent. */
  lineEnd?: '\n' | '\r\n'
  /** The message for a body that is not a JSON object. */
  notJSON: string
  /** Refuses a request without a key. A key in a header or the query is replaced by `[recorded]`. */
  checkKey(request: RecordedRequest): void
  /** How a request that generates is answered; `undefined` for any other. */
  route(request: RecordedRequest): Route | undefined
  /** Answers requests that generate nothing: models, embeddings. Throws the provider's 404 for all others. */
  plain(request: RecordedRequest): unknown
  /** The body of an error in the provider's format; absent fields get the usual values of the status. */
  errorBody(error: ErrorWords, requestId: string): unknown
  /** Whether the body of an error holds when to try again, instead of `Retry-After`. */
  retryAfterInBody?: true
  /** The headers of every answer. */
  headers(requestId: string): Readonly<Record<string, string>>
}

/** How requests that generate are checked and answered. */
export type Route = {
  /** Throws an `ApiError` for a request that the real API refuses. */
  check(body: Fields): void
  streams(body: Fields): boolean
  // `check` has refused every body that lacks fields which `answer` reads.
  answer(answer: FakeAnswer, body: never, makeId: MakeId): WireAnswer
}

/** The fields of an error: of a script's status, or of a refused request. */
export type ErrorWords = Pick<FakeStatus, 'status' | 'code' | 'type' | 'message' | 'retryAfter'> & {
  /** The field of the request that is at fault, for wires that name it. */
  param?: string | null
}

/** One frame of a stream: its JSON, or text such as `[DONE]`. `event` is for SSE only; a string is written untouched. */
export type Frame = { event?: string; data: unknown } | string

/** An answer on one wire, streamed and whole. */
export type WireAnswer = {
  /** The frames before the finish, after which a failing stream fails. */
  content: Frame[]
  /** The frames that complete the answer. */
  finish: Frame[]
  /** The frames that end the stream in place of `finish`. */
  failures: Record<Extract<StreamFault, 'error-frame' | 'flat-error-frame' | 'failed'>, Frame[]>
  /** The answer to a request that does not stream. */
  body: unknown
}

/** Makes an id that is unique in its server. */
export type MakeId = (prefix: string) => string

/** A JSON object with unknown fields. */
export type Fields = Record<string, unknown>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
