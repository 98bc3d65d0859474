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
  | { type: 'run-start'; sessionId?: string }
  | { type: 'agent-start'; name: string }
  | { type: 'agent-end'; name: string; status: string; reason?: string }
  | { type: 'step-start'; step: number }
  /** The step is repeated: its deltas so far are void. */
  | { type: 'step-restart'; step: number; error: ErrorInfo }
  | { type: 'text-delta'; text: string }
  | { type: 'reasoning-delta'; text: string }
  | { type: 'tool-call'; callId: string; name: string; input: unknown }
  | { type: 'tool-result'; callId: string; name: string; output: unknown; isError: boolean; durationMs: number }
  | { type: 'source'; source: Citation }
  | { type: 'handoff'; to: string }
  | { type: 'model-fallback'; from: string; to: string; error: ErrorInfo }
  | { type: 'approval-request'; approvalId: string; callId: string; name: string; input: unknown }
  | { type: 'step-end'; step: number; model: string; finishReason: ModelFinishReason; usage: Usage }
  /** Exactly one, last. */
  | {
      type: 'run-end'
      finishReason: RunFinishReason
      text: string
      output?: unknown
      usage: Usage
      cost?: Cost
      error?: ErrorInfo
    }

/**
 * One event of a run: a closed union, plain data, each a fresh value.
 * `seq` begins at 1 and has no gaps; `path` names the agents from the outermost in.
 */
export type AgentEvent = { seq: number; runId: string; path: string[] } & AgentEventBody

/** Why a model stopped. A failure is thrown, never a finish. */
export type ModelFinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter'

/**
 * Tells listeners of the run; a promise when they should be waited for.
 * @param path of the agent within this one, from the outside in; absent, it is this one
 */
export type Emit = (event: AgentEventBody, path?: readonly string[]) => Promise<void> | undefined
