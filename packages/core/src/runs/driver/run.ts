import type { QueueBounds } from '../../contracts/background-runs.ts'
import type { Knowledge } from '../../contracts/knowledge.ts'
import type { Memory } from '../../contracts/memory.ts'
import type { ToolSpec } from '../../contracts/model.ts'
import type { SessionStore } from '../../contracts/session-store.ts'
import type { Approval, Decisions } from '../../data/approval-data.ts'
import type { Budget } from '../../data/budget.ts'
import type { Citation } from '../../data/citation.ts'
import type { DeepPartial } from '../../data/deep-partial.ts'
import type { AgentKitError } from '../../data/errors.ts'
import type { AgentEvent, RunFinishReason } from '../../data/event.ts'
import type { ItemAt, ListPath } from '../../data/list-path.ts'
import type { InputPart, JSONValue, Message } from '../../data/message.ts'
import type { RunRecord, RunStatus } from '../../data/run-record.ts'
import type { Cost, Usage } from '../../data/usage.ts'
import type { EnqueueOptions, FollowOptions } from './background.ts'

/** Options of one run: its user and session, its signal, deadline and budget. */
export type RunOptions = {
  /** The user of the run; `"default"` when absent. At most 1,024 bytes of valid Unicode, like `sessionId`. */
  userId?: string
  /** The conversation to continue. Without it the run remembers nothing. */
  sessionId?: string | undefined
  /** Ends the run when it aborts: with the error `timeout` if the signal's reason is a timeout, otherwise with `aborted`. */
  signal?: AbortSignal | undefined
  /** The deadline of the whole run, in milliseconds. The shorter one of this and the agent's applies. */
  timeoutMs?: number | undefined
  /** What the run may use, together with all runs that it starts. The smaller value of this and the agent's applies. */
  budget?: Budget | undefined
  /**
   * Whether an iterated run waits for `approve` and `deny` (`"wait"`, the default), or ends with `"approval"` and is
   * continued by `resume` (`"end"`). A run that is not iterated always ends.
   */
  onApproval?: 'wait' | 'end' | undefined
  /**
   * The messages before this one. With a `sessionId`, they become the beginning of a session that has no messages yet, and
   * have no effect on a session that has some.
   */
  history?: readonly Message[] | undefined
  /**
   * A run of this session: it and every later turn are hidden, and this run takes their place.
   * Its result has the error `not-found` for a run of another session.
   */
  replaces?: string | undefined
  /** Tools that the caller adds to this run and executes, if the agent's `clientTools` allows it. */
  clientTools?: readonly ToolSpec[] | undefined
  /** Whether the run continues after a crash, and stores its events. The store needs `runs`; otherwise the error is `unsupported`. */
  resumable?: boolean | undefined
}

/** The result of a run: a union by `finishReason`, with the text, usage, cost and sources. */
export type RunResult<Output = unknown> = {
  /** The id of the run. */
  runId: string
  /** The answer: the text of the last step. Of a run that ends early, its last text. */
  text: string
  /** The pending approvals, when the run ends with `approval`; otherwise empty. */
  approvals: Approval[]
  /** What this run added to the conversation, the user's message first. */
  messages: Message[]
  /** The tokens of the run and of all runs that it started. */
  usage: Usage
  /** The cost of the run and of all runs that it started; absent when the price of a model is not known. */
  cost?: Cost
  /** The number of finished model calls. */
  steps: number
  /** The passages that tools cited, in order, each once. */
  sources: Citation[]
  /** Sentences about what did not go as expected, such as a budget that is used up. */
  warnings: string[]
} & RunEnding<Output>

/** Only a run that ends with `stop` has an output. */
type RunEnding<Output> =
  | {
      /** The model has answered. */
      finishReason: 'stop'
      /** The answer as a value that the agent's `output` schema has validated. */
      output: Output
      /** Absent: the run did not fail. */
      error?: undefined
    }
  | {
      /** Why the run ended without a complete answer. */
      finishReason: Exclude<RunFinishReason, 'stop'>
      /** Absent: there is no validated answer. */
      output?: undefined
      /** The failure; absent when the run ended by a limit, or waits for approval. */
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
  /** The id of the run. */
  readonly runId: string
  /**
   * The output while the model writes it, in place of the events: one object that grows. It begins again when a step is
   * repeated. The last draft is what the model has written; `result.output` is the value that the schema returned for it.
   * With an `output` hook there is only one draft, which the hook has accepted. A run that needs approvals ends with
   * `approval`, because a reader of drafts receives no requests.
   * @throws AgentKitError with which the run ends; `invalid-argument` for an agent without `output`, and when the run is
   *   iterated already
   * @example
   * for await (const draft of run.partials()) show({ ...draft })
   */
  partials(): AsyncIterable<DeepPartial<Output>>
  /**
   * The items of a list in the output, in place of the events. Each item is returned once, when it is complete and valid.
   * @param path the fields that lead to the list: `steps`, `plan.steps`; `""` for an output that is a list
   * @throws AgentKitError as `partials`; `invalid-argument` when the output has no list there
   * @example
   * for await (const step of run.elements('steps')) begin(step)
   */
  elements<Path extends ListPath<Output>>(path: Path): AsyncIterable<ItemAt<Output, Path>>
  /** The items of a list that is not in the type of the output, such as the output of a JSON Schema. */
  elements<Element = unknown>(path: string): AsyncIterable<Element>
  /** The result of the run. It never rejects: a failure is in its `error`. */
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
   * Denies the tool call of an `approval-request` event; the model receives the reason.
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

/** The public facts about an agent. */
export type AgentInfo = {
  /** The id, such as `research-team`. */
  id: string
  /** The name, such as `Research Team`. */
  name: string
  /** What the agent is good at. */
  description?: string | undefined
}

/** The public facts about a tool of an agent. */
export type ToolInfo = {
  /** The name that the model calls. */
  name: string
  /** What the model reads about the tool. */
  description: string
}

/** What a server needs of an agent or a swarm. */
export interface Runnable {
  /** The id, such as `research-team`. */
  readonly id: string
  /** The name, such as `Research Team`. */
  readonly name: string
  /** What the agent is good at. */
  readonly description?: string | undefined
  /** Example questions for a user interface. */
  readonly samplePrompts: readonly string[]
  /** The store of conversations. */
  readonly sessions: SessionStore
  /** The version of the agent, as its author set it. */
  readonly version?: string | undefined
  /** The members of a swarm. */
  readonly members?: readonly AgentInfo[]
  /**
   * The id of the member whose text is the answer: the last one of a sequence, unless the swarm checks the answer. Of a
   * workflow its own id: the texts of its agents are not the answer.
   */
  readonly speaker?: string | undefined
  /** The functions that it may call, including those of its knowledge. */
  readonly tools?: readonly ToolInfo[]
  /** What one run may use. */
  readonly budget?: Budget | undefined
  /** Whether messages may have images. */
  readonly acceptsImages?: boolean
  /** How many tools a client may add to a run. */
  readonly clientTools?: { readonly max: number } | undefined
  /** What the agent remembers of its users. */
  readonly memory?: Memory
  /** The knowledge that the agent searches. */
  readonly knowledge?: Knowledge | undefined
  /** Answers one message as a run. */
  stream(input: string | InputPart[], options?: RunOptions): AgentRun
  /** Decides on approvals of a suspended run, and continues it in this process. */
  resume(runId: string, decisions: Decisions, options?: RunOptions): AgentRun
  /** Stores decisions on approvals; runs nothing. */
  decide(runId: string, decisions: Decisions, options?: { userId?: string; by?: string }): Promise<void>
  /** Ends a run; `false` when it had ended before. */
  cancel(runId: string, options?: { userId?: string }): Promise<boolean>
  /** Lists stored runs, newest first. */
  runs(options?: RunFilter): Promise<RunRecord[]>
  /** Stores a run that a worker begins. Absent when the store has no background runs. */
  enqueue?(input: string | InputPart[], options?: EnqueueOptions, bounds?: QueueBounds): Promise<{ runId: string }>
  /** The events of a stored run: first those that are stored, then each new one. */
  follow?(runId: string, options?: FollowOptions): AsyncIterable<AgentEvent>
  /** The result of a stored run, when it has ended or waits. */
  result?(runId: string, options?: Omit<FollowOptions, 'after'>): Promise<RunResult>
  /** Queues a failed run again. */
  retry?(runId: string, options?: { userId?: string }): Promise<void>
}

/** Which runs `agent.runs` lists. */
export type RunFilter = {
  /** Runs of this user; of all users when absent. */
  userId?: string
  /** Runs of this session. */
  sessionId?: string
  /** Runs with this status. */
  status?: RunStatus
  /** The number of records; 50 when absent, at most 1,000. */
  limit?: number
  /** The `runId` of the last record of the previous page. */
  after?: string
}
