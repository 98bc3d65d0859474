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
  /** The run has begun. */
  | {
      type: 'run-start'
      /** The session of the run; absent for a run without one. */
      sessionId?: string
      /** The limits of the run, together with those of its agent; absent when there are none. */
      budget?: Budget
    }
  /** A member has begun its work. */
  | {
      type: 'agent-start'
      /** The name of the member. */
      name: string
    }
  /** A member has ended its work. */
  | {
      type: 'agent-end'
      /** The name of the member. */
      name: string
      /** `done`, `failed`, `aborted`, `budget`, or `waiting` for an approval. */
      status: string
      /** Why the status is not `done`. */
      reason?: string
    }
  /** A step has begun: one model call, with the tool calls that follow from it. */
  | {
      type: 'step-start'
      /** The number of the step; the first is 1. */
      step: number
    }
  /** The step is repeated, or its answer was not accepted: discard its deltas so far. */
  | {
      type: 'step-restart'
      /** The number of the step. */
      step: number
      /** Why the step is repeated. */
      error: ErrorInfo
    }
  /** A piece of the answer. */
  | {
      type: 'text-delta'
      /** The text that follows the text so far. */
      text: string
    }
  /** A piece of the model's reasoning, where its provider shows it. */
  | {
      type: 'reasoning-delta'
      /** The text that follows the reasoning so far. */
      text: string
    }
  /** The model calls a tool. */
  | {
      type: 'tool-call'
      /** The id of the call; the `tool-result` has the same one. */
      callId: string
      /** The name of the tool. */
      name: string
      /** The arguments of the call. */
      input: unknown
    }
  /** A tool call has ended. */
  | {
      type: 'tool-result'
      /** The id of the call. */
      callId: string
      /** The name of the tool. */
      name: string
      /** What the tool returned; the error message when `isError` is true. */
      output: unknown
      /** Whether the call failed or was denied. */
      isError: boolean
      /** How long the call took, in milliseconds. */
      durationMs: number
    }
  /** A tool has cited a source. */
  | {
      type: 'source'
      /** The passage that the answer is based on. */
      source: Citation
    }
  /** The active member of a swarm hands the conversation over. */
  | {
      type: 'handoff'
      /** The id of the member that continues. */
      to: string
    }
  /** A model has failed, and the next one of the agent's list takes over. */
  | {
      type: 'model-fallback'
      /** The model that failed, as `provider/model`. */
      from: string
      /** The model that takes over, as `provider/model`. */
      to: string
      /** The failure. */
      error: ErrorInfo
    }
  /** A tool call waits for a decision. */
  | {
      type: 'approval-request'
      /** The id that `approve`, `deny`, `answer`, `resume` and `decide` take. */
      approvalId: string
      /** The id of the call. */
      callId: string
      /** The name of the tool. */
      name: string
      /** The arguments of the call. */
      input: unknown
      /** What has to be decided. */
      kind: ApprovalKind
      /** When a call of unknown outcome began: ISO 8601, UTC. */
      startedAt?: string
    }
  /** The model call of a step and its tool calls have ended. */
  | {
      type: 'step-end'
      /** The number of the step. */
      step: number
      /** The model that answered, as `provider/model`. */
      model: string
      /** Why the model stopped. */
      finishReason: ModelFinishReason
      /** The tokens of the model call that answered. */
      usage: Usage
      /** The cost of the model call that answered; absent when the model's price is not known. */
      cost?: Cost
    }
  /**
   * The last event of `stream`, `resume` or a worker's part of the run. It is the last event of the run, unless its
   * `finishReason` is `approval`.
   */
  | {
      type: 'run-end'
      /** Why the run ended. */
      finishReason: RunFinishReason
      /** The answer; of a run that ends early, its last text. */
      text: string
      /** The validated answer of an agent with `output`; only when `finishReason` is `stop`. */
      output?: unknown
      /** The tokens of the run and of all runs that it started. */
      usage: Usage
      /** The cost of the run and of all runs that it started; absent when the price of a model is not known. */
      cost?: Cost
      /** The warnings of the result; absent when there are none. */
      warnings?: string[]
      /** Why the run failed. */
      error?: ErrorInfo
    }

/** One event of a run: a closed union of plain data. Each event is a new object. */
export type AgentEvent = {
  /**
   * The number of the event in the run, from 1. It rises by one with each event. When another process takes the run over,
   * numbers may be left out, but none is used twice.
   */
  seq: number
  /** The id of the run. */
  runId: string
  /** The ids of the agents that the event belongs to, from the outermost in. */
  path: string[]
} & AgentEventBody

/** Why a model stopped. Failures are thrown, so they are not listed here. */
export type ModelFinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter'

/**
 * Emits an event of the run; returns a promise when the caller must wait for the reader.
 * @param path of the agent below this one, outermost first; absent for this agent
 */
export type Emit = (event: AgentEventBody, path?: readonly string[]) => Promise<void> | undefined
