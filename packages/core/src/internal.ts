// For agentkit's own packages, not for users: this entry follows no semver and may change in any release.

export type { AgentHost } from './agents/agent-host.ts'
export { agentIdFrom } from './agents/agent-id.ts'
export { agentRules, busyWords, checkNotForeign, checkSettingsOnce } from './agents/agent-options.ts'
export { isCacheOption } from './contracts/cache-option.ts'
export { convertedOf } from './contracts/converted-of-run.ts'
export { knowledgeOf } from './contracts/knowledge-of.ts'
export { settingRules } from './contracts/model-settings.ts'
export {
  type CloudOptions,
  type ParsingOptions,
  type RetrievalTool,
  type RetrieverOptions,
  retrievalTools,
} from './contracts/retriever-options.ts'
export { checkSeparate, noteSeparate, separateUsers } from './contracts/separate-users.ts'
export {
  type Span,
  type SpanEnd,
  type SpanStart,
  setTracer,
  type Tracer,
  traceIdOf,
  tracer,
} from './contracts/tracer.ts'
export { errorCodes, problemType } from './data/error-codes.ts'
export { abortError, assertNever, invalidArgument, invalidConfig, messageOf, toErrorInfo } from './data/errors.ts'
export type { Finding } from './data/finding.ts'
export { firstChars } from './data/first-chars.ts'
export { isRecord } from './data/message-problem.ts'
export { isEnded } from './data/run-record.ts'
export { cutTitle, foldCase, plainText, writtenIn } from './data/session-text.ts'
export { isDiskFull, isPackageMissing, isSQLiteLocked, sqliteCode, systemCode } from './data/system-error.ts'
export { isStoppedNote } from './data/transcript.ts'
export { addUsage } from './data/usage.ts'
export { enqueuedBytes } from './durable/queue/check-enqueue.ts'
export { jobOf } from './durable/queue/job-of.ts'
export { scheduleIdleMs, workerGoneMs } from './durable/queue/running-workers.ts'
export { createDailyUsage, type DailyLimits, type DailyUsage, type Spent } from './durable/usage/daily-usage.ts'
export { spentSince } from './durable/usage/spent-since.ts'
export {
  describeRemoved,
  type KeptRules,
  keepRetention,
  keptMs,
  type RetentionOptions,
} from './durable/worker/keep-retention.ts'
export {
  type RecoverableAgent,
  type Recovery,
  type RecoveryOptions,
  recoverRuns,
} from './durable/worker/recover-runs.ts'
export { workOn } from './durable/worker/work.ts'
export type { WorkerOptions, WorkerParts, WorkerPlaces, WorkingAgent } from './durable/worker/worker-options.ts'
export { type ConnectionFailure, causesOf, codesOfStatus, connectionFailure } from './loop/model/foreign-error.ts'
export { askPerson } from './loop/tools/running-call.ts'
export { withoutNote } from './loop/tools/tool-attempt.ts'
export { budgetNames } from './policies/budget.ts'
export { silenceError } from './policies/deadline.ts'
export { outsideRuns } from './runs/current-run.ts'
export { alreadyDecided } from './runs/decisions/decisions.ts'
export { toUserMessage } from './runs/driver/input.ts'
export { reported } from './runs/driver/run-driver.ts'
export { Speakers } from './runs/driver/speakers.ts'
export { recordOfSuspended, type SuspendedRecord } from './runs/earlier-suspended.ts'
export { follow } from './runs/follow.ts'
export { isKeptAfter } from './runs/kept-events.ts'
export { withReplacedModels } from './runs/replaced-models.ts'
export { type RunOfTree, treeSpent, treeSpentNow, withWaitingMembers } from './runs/tree-spent.ts'
export { foreignSchemaProblem } from './schema/foreign-schema.ts'
export { jsonSchemaValidator } from './schema/json-schema-validator.ts'
export { standardResult } from './schema/standard-result.ts'
export { withoutPatterns } from './schema/without-patterns.ts'
export { endWithCaller, withEndEvent } from './sessions/end-event.ts'
export { handBackRuns, resumableRuns } from './sessions/live-runs.ts'
export { sourcesSoFar, storedClientData, usedSoFar } from './sessions/recorded-data.ts'
export { replacedBy } from './sessions/replaced-turns.ts'
export { checkLimit, sessionFrom } from './sessions/session-from.ts'
export { shareQueues } from './sessions/session-queue.ts'
export { statusTime } from './sessions/status-time.ts'
export { collaborations, histories } from './swarm/swarm-options.ts'
export { estimateText } from './tokens/estimate-tokens.ts'
export { checkClientTools } from './tools/client-tools.ts'
export type { HostTools } from './tools/host-tools.ts'
export { serverTool } from './tools/server-tool.ts'
export { listTools } from './tools/to-tools.ts'
export { sleep, untilAborted } from './util/async/abort.ts'
export { withRequest } from './util/async/current-request.ts'
export { makeDatabaseFile } from './util/files/make-database-file.ts'
export { makeFolder } from './util/files/make-folder.ts'
export { nodeSQLite } from './util/files/node-sqlite.ts'
export { areHashes, isProduction, type LockFile, lockFile, notice, pinOf } from './util/files/pins.ts'
export { realPath } from './util/files/real-path.ts'
export { isSeparateFolder, separateFolder } from './util/files/separate-folders.ts'
export { userFolder } from './util/files/user-folder.ts'
export { wellFormedJSON } from './util/json/well-formed-json.ts'
export {
  checkOptionNames,
  checkOptions,
  hasMethod,
  isAmount,
  isAny,
  isApprovalDays,
  isCount,
  isFlag,
  isFunction,
  isId,
  isMilliseconds,
  isOneOf,
  isText,
  isTextList,
  type OptionRule,
  type OptionRules,
} from './util/options/check-options.ts'
export { agentWords, type ForeignWords, foreignWord, swarmWords } from './util/options/foreign-words.ts'
export { counted } from './util/text/counted.ts'
export { credentialsOf } from './util/text/credentials.ts'
export { editDistance } from './util/text/edit-distance.ts'
export { nearestWord } from './util/text/nearest-word.ts'
export { printLine } from './util/text/print-line.ts'
export { redactSecrets } from './util/text/redact.ts'
export { sha256 } from './util/text/sha256.ts'
export { shellWord } from './util/text/shell-word.ts'
