export { Agent } from './agent.ts'
export { agentIdFrom } from './agent-id.ts'
export type { AgentOptions } from './agent-options.ts'
export type { Approval, Decision, Decisions } from './approval.ts'
export type { Budget } from './budget.ts'
export { checkSessionKey } from './check-id.ts'
export type { Citation } from './citation.ts'
export type { MemberAnswer } from './collaboration/answers.ts'
export type { Next, NextMember, Route, SwarmState } from './collaboration/route.ts'
export {
  AgentKitError,
  abortError,
  assertNever,
  type ErrorCode,
  type ErrorDetails,
  type ErrorInfo,
  isAgentKitError,
  type TimeoutPhase,
  toErrorInfo,
} from './errors.ts'
export type { AgentEvent, AgentEventBody, RunFinishReason } from './event.ts'
export type { GuardOptions } from './guard.ts'
export type { Block, HookContext, HookedAnswer, HookedCall, HookedOutcome, HookResult, Hooks } from './hooks.ts'
export type { FileNote, FileStatus, Knowledge, SyncOptions, SyncProgress, SyncReport } from './knowledge.ts'
export type { MemberHistory } from './member-history.ts'
export type { MemberStatus } from './member-status.ts'
export { memorySessions } from './memory-sessions.ts'
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
} from './message.ts'
export type {
  Embedder,
  Model,
  ModelEvent,
  ModelFinishReason,
  ModelInfo,
  ModelRequest,
  ModelStream,
  Price,
  ToolChoice,
  ToolSpec,
} from './model.ts'
export type { ModelSettings } from './model-settings.ts'
export { checkOptionNames } from './option-names.ts'
export type { Prices } from './price.ts'
export { redactSecrets } from './redact.ts'
export type { RetryOptions } from './retry.ts'
export type { AgentRun, Runnable, RunOptions, RunResult } from './run.ts'
export { type InferOutput, jsonSchemaValidator, type StandardSchema } from './schema.ts'
export type { Session, SessionInfo, SessionKey, SessionStore, Turn, TurnStatus } from './session.ts'
export type { OnBusy } from './session-line.ts'
export { Swarm } from './swarm.ts'
export type { Collaboration, Member, SwarmOptions } from './swarm-options.ts'
export { terminalLine, terminalText } from './terminal-text.ts'
export {
  type Tool,
  type ToolContext,
  type ToolFunction,
  type ToolLike,
  tool,
  toolFromFunction,
  toolOfFunction,
} from './tool.ts'
export { stoppedNote, type TranscriptProblem, toolCalls, validateTranscript, visibleMessages } from './transcript.ts'
export { addUsage, type Cost, type Usage } from './usage.ts'
export { withRetries } from './with-retries.ts'
export type { AskOptions, LoopOptions, StepContext, Work } from './workflow/work.ts'
export type { WorkflowOptions } from './workflow/workflow-agent.ts'
export { type Workflow, workflow } from './workflow.ts'
