/** What one request may cost. Sizes are in bytes, times in milliseconds. */
export type Limits = {
  /** Whole request body; more is 413 `payload-too-large`. */
  bodyBytes: number
  /** One form field; more is 413 `field-too-large`. */
  fieldBytes: number
  /** Parts of one multipart body; more is 413 `too-many-parts`. */
  parts: number
  /** Nesting of `chat_data`; more is 400 `malformed-chat-data`. */
  jsonDepth: number
  /** A whole run; longer is 504 `timeout`. */
  deadlineMs: number
  /** The request's headers, from the first byte to the last; longer is Node's own 408, at most a second later. */
  headersMs: number
  /** A client that stops in mid-body (408 `request-timeout`), or that stops reading its stream (dropped). */
  stalledMs: number
  /** Between two signs of life on an event stream. The status of a stream is decided by then at the latest. */
  heartbeatMs: number
  /** How long `close()` waits for what is running before it ends it. */
  drainMs: number
}

/** The limits that hold where `options.limits` says nothing. */
export const defaultLimits: Readonly<Limits> = {
  bodyBytes: 8 * 1024 * 1024,
  fieldBytes: 1024 * 1024,
  parts: 50,
  jsonDepth: 32,
  deadlineMs: 300_000,
  headersMs: 8_000,
  stalledMs: 30_000,
  heartbeatMs: 15_000,
  drainMs: 25_000,
}
