import type { Fields } from './fields.ts'
import type { FakeAnswer, FakeStatus, RecordedRequest, StreamFault } from './script.ts'

/** What one provider's server does: paths, keys, checks, answers, errors. It keeps nothing between requests. */
export type WireSpec = {
  /** What follows the origin in `url`, so that the SDK takes it as its base: `/v1` for OpenAI, '' for most. */
  basePath: string
  framing: 'sse' | 'ndjson'
  /** How lines end unless the script says otherwise; '\n' when absent. */
  lineEnd?: '\n' | '\r\n'
  /** What it says of a body that is not a JSON object. */
  notJSON: string
  /** Refuses a request without a key. What a header or the query says of a key reads `[recorded]`. */
  checkKey(request: RecordedRequest): void
  /** How a request that generates is answered; `undefined` for any other. */
  route(request: RecordedRequest): Route | undefined
  /** Answers what generates nothing: models, embeddings. Throws the provider's 404 for the rest. */
  plain(request: RecordedRequest): unknown
  /** The body of an error in the provider's words; what is absent is filled in as is usual for the status. */
  errorBody(error: ErrorWords, requestId: string): unknown
  /** Whether the body of an error tells when to try again, and no `Retry-After` does. */
  retryAfterInBody?: true
  /** What every answer carries. */
  headers(requestId: string): Readonly<Record<string, string>>
}

/** How requests that generate are checked and answered. */
export type Route = {
  /** Throws an `ApiError` for what the real API refuses. */
  check(body: Fields): void
  streams(body: Fields): boolean
  // The check has refused every body that lacks what the answer reads.
  answer(answer: FakeAnswer, body: never, makeId: MakeId): WireAnswer
}

/** What is known of an error: of a script's status, or of a request that was refused. */
export type ErrorWords = Pick<FakeStatus, 'status' | 'code' | 'type' | 'message' | 'retryAfter'> & {
  /** The field of the request that is at fault, for wires that name it. */
  param?: string | null
}

/** One frame of a stream: its JSON, or text such as `[DONE]`. `event` is for SSE only; a string is written untouched. */
export type Frame = { event?: string; data: unknown } | string

/** An answer on one wire, streamed and whole. */
export type WireAnswer = {
  /** Up to where a failing stream fails. */
  content: Frame[]
  /** What tells that the answer is complete. */
  finish: Frame[]
  /** What ends the stream in place of `finish`. */
  failures: Record<Extract<StreamFault, 'error-frame' | 'flat-error-frame' | 'failed'>, Frame[]>
  /** The answer to a request that does not stream. */
  body: unknown
}

/** Makes an id that is unique in its server. */
export type MakeId = (prefix: string) => string
