/** One event of a stream. */
export type Frame = {
  /** The `event:` field; `''` when the server names none. */
  event: string
  data: string
  /** The stream ended before the frame did. */
  unterminated?: true
}
