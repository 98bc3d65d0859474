/** The limits of the data that a server may send. */
export const limits = {
  tools: 256,
  descriptionChars: 4000,
  schemaValues: 10_000,
  listPages: 20,
  /** Bytes of one answer over HTTP, and of one line of a process. */
  answerBytes: 10_485_760,
  progressPerSecond: 10,
  /** Requests for input that one server may have open. */
  openElicitations: 8,
  /** Requests for input that are answered during one call. */
  elicitationsPerCall: 10,
  /** How long a server may ask about a call that ended before its answer. */
  lateQuestionMs: 60_000,
  /** The JSON of a question that a person is asked. */
  questionChars: 4000,
  /** Addresses that one refusal of a call shows. */
  addresses: 4,
  /** Sentences about a call that its result ends with. */
  notes: 12,
  /** How long the answer in a stream that has ended may take to be read. */
  lastBytesMs: 1000,
  /** When a call is sent again whose server is not ready for it. */
  callAgainMs: 250,
  longestTimerMs: 2_147_483_647,
  /** Parts of one result. */
  blocks: 1000,
  /** Of an error of the protocol. */
  errorChars: 2000,
  /** Of a result that is an error: an error keeps no more of its message. */
  failureChars: 16_384,
  nameChars: 64,
} as const
