import type { JSONValue, ModelFinishReason, Usage } from '@agentkit/core'

/** A wire format that a fake provider speaks. Both of OpenAI's are answered by one server. */
export type FakeWire =
  | 'openai-chat'
  | 'openai-responses'
  | 'azure'
  | 'anthropic'
  | 'mistral'
  | 'groq'
  | 'gemini'
  | 'ollama'

/** A tool call of a scripted answer. */
export type FakeToolCall = {
  name: string
  /** The arguments, as a value; `{}` when absent. */
  input?: JSONValue
  /** The arguments as the text that goes over the wire, valid or not; wins over `input`. */
  inputText?: string
  /**
   * Generated and unique in the server when absent, except on Gemini's wire, which then has none. Where calls may have
   * no id (Gemini, Ollama), an empty one is omitted.
   */
  callId?: string
}

/** A fault during a streamed answer: before its end, or after `faultAfter` frames. */
export type StreamFault =
  /** Sends nothing more and keeps the connection open. */
  | 'hang'
  /** Writes half a frame, then resets the connection. */
  | 'cut'
  /** Ends the body cleanly without a finish. */
  | 'early-eof'
  /** Ends the body cleanly inside a frame. */
  | 'eof-in-frame'
  /** Writes a frame that is not JSON, then continues. */
  | 'garbage-frame'
  /** Writes an error frame with the error under `error`, then ends. */
  | 'error-frame'
  /** Writes an error frame with the error's fields at its top, then ends. */
  | 'flat-error-frame'
  /** Ends as failed in the wire's own way (`response.failed`, Groq's `tool_use_failed`), or with an error frame. */
  | 'failed'

/** How the bytes of a stream are framed and cut. */
export type Transport = {
  /** How long to wait before each frame, in milliseconds. */
  delayMs?: number
  /** One write per frame when absent. `split-characters` cuts inside each character of more than one byte. */
  writes?: 'frame' | 'byte' | 'split-characters'
  lineEnd?: '\n' | '\r\n'
  fault?: StreamFault
  /** After how many frames the fault occurs; before the frames of the finish when absent. */
  faultAfter?: number
}

/** An answer in terms that all wires share; a wire omits what its provider never sends. */
export type FakeAnswer = Transport & {
  text?: string
  /**
   * A reasoning summary (Responses), `reasoning_content` (Chat Completions, as compatible servers send it), or the
   * wire's equivalent. Sent only on request where the provider does so (Gemini; Claude from 4.7 on).
   */
  reasoning?: string
  /** Text before the tool calls, in a message of its own (Responses only). */
  commentary?: string
  /** A message's refusal (OpenAI), or how the provider refuses: a blocked prompt (Gemini), a stop reason (Anthropic). */
  refusal?: string
  toolCalls?: readonly FakeToolCall[]
  /** `tool-calls` when there are any, otherwise `stop`. */
  finishReason?: ModelFinishReason
  /** Counted from the texts when absent; `null` omits it, as some servers do. */
  usage?: Usage | null
  /** The number of pieces of each text; 3 when absent. */
  deltas?: number
}

/**
 * Frames played as they are: objects become JSON frames, strings are written untouched. A generator is read as fast as
 * the client reads, until the client has left: it needs no end, unless there is a `fault`.
 */
export type FakeFrames = Transport & { frames: Iterable<JSONValue | string> }

/** An answer with a status, instead of a stream. */
export type FakeStatus = {
  status: number
  /** The provider's code of the error, if it has one; the usual one of the status when absent. */
  code?: string | null
  type?: string
  message?: string
  /** Seconds or an HTTP date, as `Retry-After`; in the body for a provider that sends it there, such as Gemini. */
  retryAfter?: number | string
  headers?: Readonly<Record<string, string>>
  /** Sent in place of the provider's error body: an object as JSON, a string as it is. */
  body?: JSONValue
}

/** A failure before an answer begins. */
export type FakeFailure =
  | FakeStatus
  /** Never answers. */
  | { fault: 'hang-before-headers' }
  /** Resets the connection without an answer. */
  | { fault: 'reset' }
  /** 200 with a web page, as a captive portal or a wrong address gives. */
  | { fault: 'html' }

/** The answer to one request; a string is its text. */
export type FakeTurn = string | FakeAnswer | FakeFrames | FakeFailure

/** One request as it was received. */
export type RecordedRequest = {
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** The parameters after `?`; a `key` is replaced by `[recorded]`. */
  readonly query: Readonly<Record<string, string>>
  /** Names in lower case; headers that carry a key are replaced by `[recorded]`. */
  readonly headers: Readonly<Record<string, string>>
  /** The parsed JSON, or the text if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read deep into bodies of every shape.
  readonly body: any
  /** Whether the client hung up before its answer was complete. */
  readonly aborted: boolean
  /** Settles when the exchange is over: answered, or hung up on by either side. */
  readonly closed: Promise<void>
}

/** The turns in order, or a function of the request. `undefined` answers embeddings and models as usual. */
export type FakeScript =
  | readonly FakeTurn[]
  | ((request: RecordedRequest, index: number) => FakeTurn | undefined | Promise<FakeTurn | undefined>)

export function isFailure(turn: FakeTurn): turn is FakeFailure {
  if (typeof turn !== 'object') return false
  return (
    'status' in turn ||
    ('fault' in turn && (turn.fault === 'hang-before-headers' || turn.fault === 'reset' || turn.fault === 'html'))
  )
}
