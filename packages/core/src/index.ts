export { Agent } from './agents/agent.ts'
export type { AgentBase } from './agents/agent-base.ts'
export type { AgentOptions } from './agents/agent-options.ts'
export type {
  BackgroundRuns,
  MemberRunEntry,
  QueueBounds,
  QueuedRunEntry,
  RunCounts,
  RunNotice,
  StoredSchedule,
  UndeliveredNotice,
} from './contracts/background-runs.ts'
export type { CacheOption } from './contracts/cache-option.ts'
export type { IdempotentAnswer, IdempotentAnswers, IdempotentRequest } from './contracts/idempotent-answers.ts'
export type {
  FileInfo,
  FileNote,
  FileStatus,
  Knowledge,
  Passage,
  SyncOptions,
  SyncProgress,
  SyncReport,
} from './contracts/knowledge.ts'
export type { AgentMemory, Memory, MemoryHit, MemoryOf, MemoryOptions } from './contracts/memory.ts'
export type { MemoryOwner, MemoryStore, Note, RememberedTurn } from './contracts/memory-store.ts'
export type {
  CacheMark,
  CachePlan,
  Embedder,
  Model,
  ModelEvent,
  ModelInfo,
  ModelRequest,
  ModelStream,
  Price,
  ToolChoice,
  ToolSpec,
} from './contracts/model.ts'
export type { ModelSettings } from './contracts/model-settings.ts'
export type { PruneReport, RetentionRules } from './contracts/retention.ts'
export type { RunBeginning, RunEnding, RunEntry, StartedCall } from './contracts/run-entry.ts'
export type { QueueCounts, QueuedJob, RunQueue, TakenJob } from './contracts/run-queue.ts'
export type { NewRunEntry, OrphanedRun, RunStore, StoredApproval, StoredRun } from './contracts/run-store.ts'
export type { SessionStore } from './contracts/session-store.ts'
export type { InferOutput, StandardSchema } from './contracts/standard-schema.ts'
export type { Tool, ToolContext } from './contracts/tool.ts'
export type { UsageBy, UsageRow } from './contracts/usage-row.ts'
export type { Approval, ApprovalKind, Decision, Decisions } from './data/approval-data.ts'
export type { Budget } from './data/budget.ts'
export { checkSessionKey } from './data/check-id.ts'
export type { Citation } from './data/citation.ts'
export type { DeepPartial } from './data/deep-partial.ts'
export {
  AgentKitError,
  type ErrorCode,
  type ErrorDetails,
  type ErrorInfo,
  isAgentKitError,
  type TimeoutPhase,
} from './data/errors.ts'
export type { AgentEvent, AgentEventBody, ModelFinishReason, RunFinishReason } from './data/event.ts'
export type {
  AssistantMessage,
  AssistantPart,
  FilePart,
  ImagePart,
  InputPart,
  JSONSchema,
  JSONValue,
  Message,
  Opaque,
  ReasoningPart,
  SystemMessage,
  TextPart,
  ToolCallPart,
  ToolMessage,
  UserMessage,
  UserPart,
} from './data/message.ts'
export type { OnBusy } from './data/on-busy.ts'
export type { RunRecord, RunStatus } from './data/run-record.ts'
export type { Session, SessionInfo, SessionKey, Turn, TurnStatus } from './data/session-data.ts'
export {
  type TranscriptProblem,
  toolCalls,
  validateTranscript,
  visibleMessages,
} from './data/transcript.ts'
export type { Cost, Usage } from './data/usage.ts'
export type {
  Block,
  HookContext,
  HookedAnswer,
  HookedCall,
  HookedOutcome,
  HookResult,
  Hooks,
} from './policies/hooks.ts'
export type { GuardOptions } from './policies/loop-detection.ts'
export type { Prices } from './policies/price.ts'
export type { RetryOptions } from './policies/retry.ts'
export { withRetries } from './policies/retry.ts'
export type {
  EnqueueItem,
  EnqueueOptions,
  FollowOptions,
  ScheduleInfo,
  ScheduleTimes,
  Worker,
  WorkOptions,
} from './runs/driver/background.ts'
export type { AgentInfo, AgentRun, RunFilter, Runnable, RunOptions, RunResult, ToolInfo } from './runs/driver/run.ts'
export type { MemberStatus } from './runs/member-outcome.ts'
export { memorySessions } from './sessions/memory-sessions.ts'
export type { MemberAnswer } from './swarm/answers.ts'
export type { MemberHistory } from './swarm/member-history.ts'
export type { Next, NextMember, Route, SwarmState } from './swarm/route.ts'
export { Swarm } from './swarm/swarm.ts'
export type { Collaboration, Member, SwarmOptions } from './swarm/swarm-options.ts'
export { type ToolFunction, type ToolLike, tool, toolFromFunction, toolOfFunction } from './tools/define-tool.ts'
export { functionsOf } from './tools/functions-of.ts'
export { terminalLine, terminalText } from './util/text/terminal-text.ts'
export type { StepContext } from './workflows/step.ts'
export type { AskOptions, LoopOptions, Work } from './workflows/work.ts'
export { type Workflow, workflow } from './workflows/workflow.ts'
export type { WorkflowOptions } from './workflows/workflow-agent.ts'
