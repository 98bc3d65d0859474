/** What bounds a run, unless an agent or a tool says otherwise. */
export const limits = {
  /** As long as a timer can wait, in milliseconds; a longer one would end at once. */
  longestTimerMs: 2_147_483_647,
  /** A `userId`, `sessionId` or `runId`, and a model's `callId`, in bytes of UTF-8. */
  idBytes: 1_024,
  /** Model calls of one run. */
  maxSteps: 20,
  /** How often one run of a swarm hands its conversation on. */
  handoffs: 50,
  /** How long one tool call may take, in milliseconds. */
  toolTimeoutMs: 30_000,
  /** Runs within runs: agents that tools ask, whose tools ask agents. */
  nestedRuns: 5,
  /** Tool calls of one step that run at once. */
  parallelToolCalls: 8,
  /** Steps of a workflow that run at once. */
  parallelSteps: 8,
  /** A tool result's text, in bytes of UTF-8. */
  toolResultBytes: 262_144,
  /** What is kept of a longer result while the run lasts, for the model to read on, in characters. */
  wholeResultChars: 4_194_304,
  /** Longer results of one run that are kept so at once; of older ones only what is stored can be read. */
  wholeResults: 16,
  /** What a failed tool says, in bytes of UTF-8. */
  toolErrorBytes: 16_384,
  /** Events that wait for a reader, in bytes. */
  eventBufferBytes: 262_144,
  /** How long a run tries to get hold of a session that another process holds, in milliseconds. */
  sessionWaitMs: 5_000,
  /** Runs that wait for one session in this process; one more is refused. */
  sessionQueue: 1_000,
  /** How long a run without a session that waits for approval is kept, in milliseconds. */
  approvalMs: 86_400_000,
  /** Attempts of one model call, the first one included. */
  retryAttempts: 4,
  /** Attempts of one model call where another model stands by. */
  attemptsBeforeFallback: 2,
  /** The wait before the first retry is random, and at most this long, in milliseconds; each further one twice as long. */
  firstRetryMs: 500,
  /** The longest wait of our own before a retry, in milliseconds. */
  longestRetryMs: 8_000,
  /** The longest wait that a provider's `retry-after` may ask for, in milliseconds. */
  longestRetryAfterMs: 60_000,
  /** The longest wait for a model where another one stands by, in milliseconds. */
  longestWaitBeforeFallbackMs: 1_000,
  /** Failed steps in a row after which a model of a fallback chain is left alone for a while. */
  breakerFailures: 3,
  /** How long such a model is left alone, in milliseconds. */
  breakerMs: 30_000,
  /** The longest silence of a model, in milliseconds. Its provider's own timers, which see every byte, are shorter. */
  modelTimeoutMs: 900_000,
  /** One answer of a model, in characters, with its reasoning and the arguments of its calls: more than any writes. */
  replyChars: 2_097_152,
  /** The message that an answer ends with, in characters: with what only its provider reads. */
  replyMessageChars: 16_777_216,
  /** Tool calls of one answer; with more of them it is malformed. */
  toolCallsPerAnswer: 1_024,
  /** Tool calls of one answer that are run; the others get an error result. */
  toolCallsPerStep: 128,
  /** Fields and items, at all levels, of the arguments of one call, and of an answer in the form of `output`. */
  argumentValues: 10_000,
  /** How deep these may be nested. */
  argumentDepth: 64,
  /** Items of a list of them where a schema asks that no two are the same: each is compared with each. */
  uniqueItems: 1_000,
  /** What one validation by a JSON Schema may take of the CPU, in milliseconds. */
  validationMs: 80,
  /** Visits of schemas to find all errors of a value; after more of them only the first error is reported. */
  errorVisits: 10_000,
  /** Text that the pattern of a schema is tried on, in characters: many patterns take the square of it. */
  patternChars: 10_000,
  /** Names of fields of one object, times the patterns that its schema has for them. */
  patternTests: 100_000,
  /** Arguments of more values are validated one call in a turn of the event loop. */
  valuesAtOnce: 500,
  /** How deep a JSON Schema may be nested. */
  schemaDepth: 200,
  /** Its fields and items, at all levels. */
  schemaValues: 100_000,
  /** An answer of more characters than so many for each token that it was allowed has passed its bound. */
  charsPerToken: 16,
  /** The shortest answer, in tokens, that a budget may lower a request to; with less left the run ends. */
  leastAnswerTokens: 128,
  /** What a model whose longest answer is not known may write under a budget, in tokens. */
  assumedAnswerTokens: 8_192,
  /** How long a failed run waits for its store to end the turn, in milliseconds; the session stays claimed meanwhile. */
  endFailedMs: 50,
} as const
