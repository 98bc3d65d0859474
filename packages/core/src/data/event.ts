import type { ApprovalKind } from './approval-data.ts'
import type { Budget } from './budget.ts'
import type { Citation } from './citation.ts'
import type { ErrorInfo } from './errors.ts'
import type { Cost, Usage } from './usage.ts'

/** Why a run ended. */
export type RunFinishReason =
  | 'stop'
  | 'length'
  | 'content-filter'
  | 'max-steps'
  | 'budget'
  | 'no-progress'
  | 'approval'
  | 'aborted'
  | 'error'

/** An event of a run, without its place in the stream. */
export type AgentEventBody =
  /** `budget` has the limits that the run has, those of its agent included; absent without any. */
  | { type: 'run-start'; sessionId?: string; budget?: Budget }
  | { type: 'agent-start'; name: string }
  | { type: 'agent-end'; name: string; status: string; reason?: string }
  | { type: 'step-start'; step: number }
  /** The step is repeated, or its answer was not accepted: its deltas so far are void. */
  | { type: 'step-restart'; step: number; error: ErrorInfo }
  | { type: 'text-delta'; text: string }
  | { type: 'reasoning-delta'; text: string }
  | { type: 'tool-call'; callId: string; name: string; input: unknown }
  | { type: 'tool-result'; callId: string; name: string; output: unknown; isError: boolean; durationMs: number }
  | { type: 'source'; source: Citation }
  | { type: 'handoff'; to: string }
  | { type: 'model-fallback'; from: string; to: string; error: ErrorInfo }
  | {
      type: 'approval-request'
      approvalId: string
      callId: string
      name: string
      input: unknown
      kind: ApprovalKind
      startedAt?: string
    }
  /** `usage` and `cost` are those of the call that answered; `cost` is absent where the model's price is not known. */
  | { type: 'step-end'; step: number; model: string; finishReason: ModelFinishReason; usage: Usage; cost?: Cost }
  /** One per segment of the run, the last event in it. Only one whose reason is not `approval` is final. */
  | {
      type: 'run-end'
      finishReason: RunFinishReason
      text: string
      output?: unknown
      usage: Usage
      cost?: Cost
      /** Those of the result; absent when there are none. */
      warnings?: string[]
      error?: ErrorInfo
    }

/**
 * One event of a run: a closed union of plain data; each event is a new object.
 * `seq` begins at 1 and rises over the whole life of the run, by one; a run that another process takes over continues above
 * every number that was seen. `path` lists the agents, outermost first.
 */
export type AgentEvent = { seq: number; runId: string; path: string[] } & AgentEventBody

/** Why a model stopped. Failures are thrown, so they are not listed here. */
export type ModelFinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter'

/**
 * Emits an event of the run; returns a promise when the caller must wait for the reader.
 * @param path of the agent below this one, outermost first; absent for this agent
 */
export type Emit = (event: AgentEventBody, path?: readonly string[]) => Promise<void> | undefined
