import type { QueueBounds } from '../contracts/background-runs.ts'
import type { Knowledge } from '../contracts/knowledge.ts'
import type { Memory } from '../contracts/memory.ts'
import type { ToolSpec } from '../contracts/model.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import type { Approval, Decisions } from '../data/approval-data.ts'
import type { Budget } from '../data/budget.ts'
import type { Citation } from '../data/citation.ts'
import type { DeepPartial } from '../data/deep-partial.ts'
import type { AgentKitError } from '../data/errors.ts'
import type { AgentEvent, RunFinishReason } from '../data/event.ts'
import type { ItemAt, ListPath } from '../data/list-path.ts'
import type { InputPart, JSONValue, Message } from '../data/message.ts'
import type { RunRecord, RunStatus } from '../data/run-record.ts'
import type { Cost, Usage } from '../data/usage.ts'
import type { EnqueueOptions, FollowOptions } from './background.ts'

/** Of one run: its user and session, its signal, deadline and budget. */
export type RunOptions = {
  /** Whose session; `"default"` when absent. At most 1,024 bytes of valid Unicode, like `sessionId`. */
  userId?: string
  /** Which conversation to continue. Without it nothing is remembered. */
  sessionId?: string | undefined
  /** Ends the run when it aborts: `timeout` where its reason is a timeout, `aborted` otherwise. */
  signal?: AbortSignal | undefined
  /** Deadline of the whole run, in milliseconds. The agent's own deadline, when shorter, holds. */
  timeoutMs?: number | undefined
  /** What the run may use up, with all that it starts. It tightens the agent's budget. */
  budget?: Budget | undefined
  /**
   * Whether an iterated run waits for `approve` and `deny` (`"wait"`, the default), or ends with `"approval"` and is
   * continued by `resume` (`"end"`), as a run that is not iterated.
   */
  onApproval?: 'wait' | 'end' | undefined
  /** Messages that seed a session which has none yet; ignored when it has. Without `sessionId`: what came before. */
  history?: readonly Message[] | undefined
  /**
   * A run of this session: it and every later turn are hidden, and this run takes their place.
   * Its result has the error `not-found` for a run of another session.
   */
  replaces?: string | undefined
  /** Tools that the caller brings for this run and executes, where the agent's `clientTools` lets it. */
  clientTools?: readonly ToolSpec[] | undefined
  /** Whether the run is continued after a crash, and keeps its events. `unsupported` with a store without `runs`. */
  resumable?: boolean | undefined
}

/** How a run has ended: a union by `finishReason`, with the text, usage, cost and sources. */
export type RunResult<Output = unknown> = {
  runId: string
  /** The last step's text; of a run that ends early, the last words that were said. */
  text: string
  /** The pending approvals, when the run ends with `approval`. */
  approvals: Approval[]
  /** What this run added to the conversation, the user's message first. */
  messages: Message[]
  /** With that of everything the run has started. */
  usage: Usage
  /** Absent where the price of a model is not known. */
  cost?: Cost
  /** Finished model calls. */
  steps: number
  /** What the answer stands on, in the order in which tools cited it. */
  sources: Citation[]
  warnings: string[]
} & RunEnding<Output>

/** `finishReason` says which: only a run that ends with `stop` has an output. */
type RunEnding<Output> =
  | {
      finishReason: 'stop'
      /** The answer in the form of the agent's `output`. */
      output: Output
      error?: undefined
    }
  | {
      finishReason: Exclude<RunFinishReason, 'stop'>
      output?: undefined
      error?: AgentKitError
    }

/**
 * One run of an agent. It starts when it is first iterated or `result` is first read; both may be used together.
 *
 * Leaving the loop cancels the run. A reader that is slower than the run delays it once 256 KB are buffered. A run that
 * is not iterated runs to its end; its events are buffered up to the same bound until they are read.
 *
 * A run that needs approvals waits for them while it is iterated. It is stored first, so that the agent's `resume` can
 * continue it when its process has died. A run that the reader leaves, or that is not iterated, ends with `approval`.
 */
export interface AgentRun<Output = unknown> extends AsyncIterable<AgentEvent> {
  readonly runId: string
  /**
   * The output while it is written, in place of the events: one value that grows, from the first field on. It begins again
   * where a step is tried again. The last one is what the model has written; `result.output` is what the schema made of it.
   * It shows nothing that an `output` hook has not passed. A run that needs approvals ends with `approval`, as no one sees them.
   * @throws AgentKitError with which the run ends; `invalid-argument` for an agent without `output`, and when the run is
   *   iterated already
   * @example
   * for await (const draft of run.partials()) show({ ...draft })
   */
  partials(): AsyncIterable<DeepPartial<Output>>
  /**
   * The items of a list in the output, in place of the events: each once, when it is complete and fits its schema.
   * @param path the fields that lead to the list: `steps`, `plan.steps`; `""` for an output that is a list
   * @throws AgentKitError as `partials`; `invalid-argument` when the output has no list there
   * @example
   * for await (const step of run.elements('steps')) begin(step)
   */
  elements<Path extends ListPath<Output>>(path: Path): AsyncIterable<ItemAt<Output, Path>>
  /** Those of a list that the type of the output does not show, such as the output of a JSON Schema. */
  elements<Element = unknown>(path: string): AsyncIterable<Element>
  /** Never rejects: a failure is in its `error`. */
  readonly result: Promise<RunResult<Output>>
  /**
   * Ends the run as `aborted`. A run that waits for approval cannot be resumed afterwards; one that is aborted by its
   * signal while it waits can.
   */
  cancel(): void
  /**
   * Allows the tool call of an `approval-request` event.
   * @throws AgentKitError `not-found` when no approval with this id is pending; `session-conflict` for one that was decided,
   *   with what and when
   */
  approve(approvalId: string): void
  /**
   * Denies it; the model receives the reason.
   * @throws AgentKitError as `approve`
   */
  deny(approvalId: string, reason?: string): void
  /**
   * Gives the result of a call that the client executes (kind `client-tool`), or whose outcome is unknown.
   * @throws AgentKitError as `approve`; `invalid-argument` for a result that does not fit the tool's `output`:
   *   the approval stays open then
   */
  answer(approvalId: string, result: JSONValue): Promise<void>
}

/** An agent, as others may see it. */
export type AgentInfo = { id: string; name: string; description?: string | undefined }

/** A function that an agent may call, as others may see it. */
export type ToolInfo = { name: string; description: string }

/** What a server needs of an agent or a swarm. */
export interface Runnable {
  readonly id: string
  readonly name: string
  readonly description?: string | undefined
  readonly samplePrompts: readonly string[]
  readonly sessions: SessionStore
  /** The version of the agent, as its author counts. */
  readonly version?: string | undefined
  /** The members of a swarm. */
  readonly members?: readonly AgentInfo[]
  /** The id of the member whose words are the answer: the last of a sequence, where the swarm does not check its answer. */
  readonly speaker?: string | undefined
  /** The functions that it may call, those of its knowledge included. */
  readonly tools?: readonly ToolInfo[]
  /** What one run may use up. */
  readonly budget?: Budget | undefined
  /** Whether messages may have images. */
  readonly acceptsImages?: boolean
  /** How many tools of its own a client may bring. */
  readonly clientTools?: { readonly max: number } | undefined
  /** What it remembers of its users. */
  readonly memory?: Memory
  /** The knowledge that it searches, if it has any. */
  readonly knowledge?: Knowledge | undefined
  stream(input: string | InputPart[], options?: RunOptions): AgentRun
  resume(runId: string, decisions: Decisions, options?: RunOptions): AgentRun
  decide(runId: string, decisions: Decisions, options?: { userId?: string; by?: string }): Promise<void>
  cancel(runId: string, options?: { userId?: string }): Promise<boolean>
  runs(options?: RunFilter): Promise<RunRecord[]>
  /** Background runs, with a store that keeps them. */
  enqueue?(input: string | InputPart[], options?: EnqueueOptions, bounds?: QueueBounds): Promise<{ runId: string }>
  follow?(runId: string, options?: FollowOptions): AsyncIterable<AgentEvent>
  result?(runId: string, options?: Omit<FollowOptions, 'after'>): Promise<RunResult>
  retry?(runId: string, options?: { userId?: string }): Promise<void>
}

/** Which runs `agent.runs` lists. */
export type RunFilter = {
  /** All users when absent. */
  userId?: string
  sessionId?: string
  status?: RunStatus
  /** 50 when absent, at most 1,000. */
  limit?: number
  /** The `runId` of the last record of the page before. */
  after?: string
}
