/** What bounds a run, unless an agent or a tool says otherwise. */
export const limits = {
  /** Model calls of one run. */
  maxSteps: 20,
  /** How long one tool call may take, in milliseconds. */
  toolTimeoutMs: 30_000,
  /** Tool calls of one step that run at once. */
  parallelToolCalls: 8,
  /** A tool result's text, in bytes of UTF-8. */
  toolResultBytes: 262_144,
  /** What a failed tool says, in bytes of UTF-8. */
  toolErrorBytes: 16_384,
  /** Events that wait for a reader, in bytes. */
  eventBufferBytes: 262_144,
  /** How long a run tries to get hold of a session that another process holds, in milliseconds. */
  sessionWaitMs: 5_000,
  /** How long a failed run waits for its store to end the turn, in milliseconds; the session stays claimed meanwhile. */
  endFailedMs: 50,
} as const
