/** The default bounds of a run; options of agents and tools replace some of them. */
export const limits = {
  /** The longest delay of a timer, in milliseconds; a longer one would fire at once. */
  longestTimerMs: 2_147_483_647,
  /** A `userId`, `sessionId` or `runId`, and a model's `callId`, in bytes of UTF-8. */
  idBytes: 1_024,
  /** Model calls of one run. */
  maxSteps: 20,
  /** Handoffs in one run of a swarm. */
  handoffs: 50,
  /** The time limit of one tool call, in milliseconds. */
  toolTimeoutMs: 30_000,
  /** The depth of runs within runs: tools that call agents, whose tools call agents. */
  nestedRuns: 5,
  /** The depth of lists within an agent's `functions`. */
  toolListDepth: 16,
  /** Tools of an agent, and tokens of their schemas, above which a run warns, if they are those of servers. */
  manyTools: 40,
  manyToolTokens: 20_000,
  /** Tool calls of one step that run in parallel. */
  parallelToolCalls: 8,
  /** Steps of a workflow that run in parallel. */
  parallelSteps: 8,
  /** A tool result's text, in bytes of UTF-8. */
  toolResultBytes: 262_144,
  /** How much of a longer result is kept during the run, for the model to read, in characters. */
  wholeResultChars: 4_194_304,
  /** How many longer results of one run are kept; of older ones the model can read only the stored part. */
  wholeResults: 16,
  /** The error message of a tool, in bytes of UTF-8. */
  toolErrorBytes: 16_384,
  /** Buffered events that wait for a reader, in bytes. */
  eventBufferBytes: 262_144,
  /** How long an event waits to be stored together with others, in milliseconds. */
  eventBatchMs: 20,
  /** So many bytes of events are stored at once. */
  eventBatchBytes: 4_096,
  /** Before a call of a model or a tool, a run writes where its last write began longer ago: its process may have been frozen. */
  confirmAfterMs: 4_000,
  /** Events of a run that are not stored yet; with more the run waits. */
  unsavedEvents: 256,
  /** How far the numbers of events jump when another process takes a run over: more than can be unsaved. */
  eventGap: 1_000,
  /** How often events of a run in another process are looked for, in milliseconds. */
  pollMs: 250,
  /** The same, where the store reports writes of other processes. */
  notifiedPollMs: 5_000,
  /** How often runs are looked for whose process died, in milliseconds. */
  recoveryMs: 5_000,
  /** How often a worker looks for decided runs that no process continues, in milliseconds. */
  decidedMs: 2_000,
  /** From this takeover since its last finished step on, a run starts alone, after these delays. */
  poisonFrom: 3,
  poisonDelaysMs: [1_000, 5_000],
  /** At this takeover it ends instead. */
  poisonEnds: 5,
  /** How long a message waits for a resumable run of its session in another process, in milliseconds. */
  resumableWaitMs: 300_000,
  /** How long a run tries to acquire a session that another process holds, in milliseconds. */
  sessionWaitMs: 5_000,
  /** For how long queued runs let a direct one go first that waits, which says so again meanwhile. */
  directTurnMs: 1_000,
  /** Runs in the queue of one session in this process; the next one is rejected. */
  sessionQueue: 1_000,
  /** Runs whose decisions this process remembers, of each store that does not keep them. */
  rememberedRuns: 1_000,
  /** The reason of a denied call, in bytes of UTF-8. */
  denialBytes: 65_536,
  /** How long an approval can be decided. */
  approvalDays: 30,
  /** The most that an agent's option may say. */
  mostApprovalDays: 365,
  /** How often a run that waits in this process looks for decisions of other processes, in milliseconds. */
  decisionPollMs: 1_000,
  /** Of the runs of a store that this process works on, so many are read in that time: another process may have ended them. */
  runsPerLook: 20,
  /** How often a call that waits for a budget shared with other processes looks at it, in milliseconds. */
  sharedBudgetPollMs: 100,
  /** Attempts of one model call, including the first. */
  retryAttempts: 4,
  /** Attempts of one model call if there is a fallback. */
  attemptsBeforeFallback: 2,
  /** The wait before the first retry is random, at most this, in milliseconds; it doubles with each retry. */
  firstRetryMs: 500,
  /** The longest wait before a retry without a `retry-after`, in milliseconds. */
  longestRetryMs: 8_000,
  /** The longest `retry-after` that is followed, in milliseconds. */
  longestRetryAfterMs: 60_000,
  /** The longest wait before a retry if there is a fallback, in milliseconds. */
  longestWaitBeforeFallbackMs: 1_000,
  /** Failed steps in a row after which a model of a fallback chain is skipped. */
  breakerFailures: 3,
  /** How long such a model is skipped, in milliseconds. */
  breakerMs: 30_000,
  /** The longest silence of a model, in milliseconds. The timeouts of the provider packages, which see every byte, are shorter. */
  modelTimeoutMs: 900_000,
  /** One answer of a model, in characters, with its reasoning and the arguments of its calls: more than any model writes. */
  replyChars: 2_097_152,
  /** The final message of an answer, in characters, including the provider's opaque data. */
  replyMessageChars: 16_777_216,
  /** Tool calls of one answer; an answer with more is malformed. */
  toolCallsPerAnswer: 1_024,
  /** Tool calls of one answer that are executed; further calls get an error result. */
  toolCallsPerStep: 128,
  /** Fields and items, at all levels, of the arguments of one call, and of an answer with an `output` schema. */
  argumentValues: 10_000,
  /** The depth of these. */
  argumentDepth: 64,
  /** Items of a list whose schema has `uniqueItems`: each is compared with each. */
  uniqueItems: 1_000,
  /** The CPU time of one validation by a JSON Schema, in milliseconds. */
  validationMs: 80,
  /** Visits of schemas to find all errors of a value; after more of them only the first error is reported. */
  errorVisits: 10_000,
  /** Text that is matched against the pattern of a schema, in characters: many patterns take quadratic time. */
  patternChars: 10_000,
  /** Field names of one object times the patterns of its schema for them. */
  patternTests: 100_000,
  /** Arguments with more values are validated one call per turn of the event loop. */
  valuesAtOnce: 500,
  /** Schemas of servers and clients, which the author of an agent does not write. */
  foreignSchemaBytes: 65_536,
  foreignSchemaDepth: 32,
  clientToolDescriptionChars: 4_000,
  /** The most that `clientTools.max` may say. */
  mostClientTools: 256,
  /** The depth of a JSON Schema. */
  schemaDepth: 200,
  /** Fields and items of a JSON Schema, at all levels. */
  schemaValues: 100_000,
  /** An answer with more characters per allowed token has exceeded its bound. */
  charsPerToken: 16,
  /** The shortest answer, in tokens, to which a budget may limit a request; with less left the run ends. */
  leastAnswerTokens: 128,
  /** The longest answer of a model under a budget if its real limit is not known, in tokens. */
  assumedAnswerTokens: 8_192,
  /** The input of a background run as JSON, in bytes of UTF-8. */
  enqueuedInputBytes: 1_048_576,
  /** The messages that seed it, as JSON, in bytes of UTF-8. */
  enqueuedHistoryBytes: 8_388_608,
  /** A header of the trace that it was enqueued in. */
  traceHeaderChars: 512,
  /** Runs of one `enqueueMany`, and of one commit of it. */
  enqueuedAtOnce: 10_000,
  enqueuedPerCommit: 1_000,
  /** Queued background runs: in all, and of one user. */
  queued: 100_000,
  userQueued: 10_000,
  /** How far ahead a run may start: 5 years. */
  longestDelayMs: 157_788_000_000,
  /** The highest priority; the lowest is its negative. */
  highestPriority: 1_000_000,
  /** The deadline of a background run that has none of its own, in milliseconds. */
  backgroundMs: 3_600_000,
  /** The most that a worker runs at once. */
  mostConcurrency: 1_000,
  /** What it runs at once where nothing else is said. */
  concurrency: 25,
  /** The shortest time between two reads of a queue by one worker, in milliseconds. */
  takeMs: 10,
  /** The longest. */
  takePollMs: 1_000,
  /** How often a worker renews its jobs, and stores its heartbeat. */
  keepMs: 3_000,
  /** The age of the last heartbeat of a running worker, at most. */
  workerSilenceMs: 15_000,
  /** How often a worker looks for runs without a job, and for approvals that have expired. */
  sweepMs: 60_000,
  /** Runs that are compared with the queue at once. */
  sweepPage: 500,
  /** After how long the job of a run is delivered again whose session is busy, and of one that another process has. */
  busyAgainMs: 500,
  elsewhereAgainMs: 1_000,
  /** After how long a job is delivered again whose store has failed. */
  failedAgainMs: 2_000,
  /** How often a run may fail to begin or to continue before it ends. */
  jobAttempts: 5,
  /** How long the runs of a worker that closes may end by themselves; then they are handed back. */
  drainMs: 25_000,
  /** How long it waits after that for a store or a queue that is not reachable. */
  lastCallsMs: 5_000,
  /** How often a worker looks for schedules that are due. */
  scheduleMs: 5_000,
  /** How late a schedule starts its run; a time that is found later was missed. */
  scheduleGraceMs: 30_000,
  /** How often a worker looks for notices that are due. */
  noticeMs: 5_000,
  /** Notices that are taken at once, and for how long. */
  notices: 50,
  noticeLeaseMs: 60_000,
  /** How long `onRunEnd` may take for one: with a webhook after it, less than the lease. */
  hookMs: 30_000,
  /** The first wait before a notice is tried again; it doubles with each try, up to the longest. */
  firstNoticeMs: 5_000,
  longestNoticeMs: 3_600_000,
  /** How long a notice is tried. */
  noticeLifeMs: 86_400_000,
  /**
   * How long a run that was aborted, or whose store has failed, waits for its store to end the turn, in milliseconds; the
   * session stays acquired meanwhile.
   */
  endFailedMs: 50,
  /** The same of any other failed run, and of a run that a worker or a server continues. */
  endErrorMs: 5_000,
  /**
   * After how long the end, or the release, of a run is stored again that could not be stored, in milliseconds; it doubles
   * with each try, up to the longest.
   */
  endAgainMs: 1_000,
  longestEndAgainMs: 5_000,
  /** How long that is tried. */
  endAgainForMs: 86_400_000,
} as const
