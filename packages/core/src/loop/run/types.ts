import type { CacheOption } from '../../contracts/cache-option.ts'
import type { AgentMemory } from '../../contracts/memory.ts'
import type { Model, ToolSpec } from '../../contracts/model.ts'
import type { ModelSettings } from '../../contracts/model-settings.ts'
import type { StoredRun } from '../../contracts/run-store.ts'
import type { SessionStore } from '../../contracts/session-store.ts'
import type { Tool, ToolRun } from '../../contracts/tool.ts'
import type { Decisions } from '../../data/approval-data.ts'
import type { Budget } from '../../data/budget.ts'
import type { Citation } from '../../data/citation.ts'
import type { AgentKitError } from '../../data/errors.ts'
import type { RunFinishReason } from '../../data/event.ts'
import type { JSONValue, Message, UserMessage } from '../../data/message.ts'
import type { OnBusy } from '../../data/on-busy.ts'
import type { RunRecord } from '../../data/run-record.ts'
import type { ModelChain } from '../../policies/fallback.ts'
import type { HookContext, Hooks } from '../../policies/hooks.ts'
import type { GuardOptions, LoopDetector } from '../../policies/loop-detection.ts'
import type { Prices } from '../../policies/price.ts'
import type { RetryOptions } from '../../policies/retry.ts'
import type { CurrentRun } from '../../runs/current-run.ts'
import type { RunDriver } from '../../runs/driver/run-driver.ts'
import type { Reply } from '../../runs/reply.ts'
import type { RunTrace } from '../../runs/run-trace.ts'
import type { MemberInMemory, RunSnapshot } from '../../runs/snapshot.ts'
import type { OpenRun } from '../../runs/take-snapshot.ts'
import type { OutputFormat } from '../../schema/structured-output.ts'
import type { EventQueue } from '../../sessions/event-queue.ts'
import type { OpenTurn } from '../../sessions/turn.ts'
import type { RunTools } from '../../tools/knowledge-tools.ts'
import type { ToolResult } from '../../tools/tool-result.ts'
import type { ToolBox } from '../../tools/toolbox.ts'
import type { Delegates, Members } from './members.ts'

/** A call that a plan makes in place of a model. */
export type PlannedCall = { name: string; input: JSONValue }

/** The next step: calls, all at once, or the answer, with its value if it is more than text. */
export type Planned = { calls: readonly PlannedCall[] } | { answer: string; output?: unknown } | undefined

/**
 * Decides the next step by the state of the run, so that a resumed run continues where it was suspended.
 * @returns `undefined` where the model decides
 */
export type Plan = (run: Run) => Planned | Promise<Planned>

/** A tool as a model sees it, with what it adds to the instruction. */
export type DescribedTool = ToolSpec & Pick<Tool, 'instruction'>

/** What the loop needs of an agent. */
export type AgentSpec = {
  id: string
  name: string
  /** What the agent is good at, for other agents. */
  description: string | undefined
  /** Stored with each run: the agent's `version`, else a hash; `undefined` where its tools cannot be described. */
  storedVersion(): Promise<string | undefined>
  /** Its own tools, without those of its knowledge. @throws AgentKitError where one cannot be described */
  describeTools(): Promise<DescribedTool[]>
  /** The names of its own tools. */
  toolNames: readonly string[]
  instruction: string | undefined
  chain: ModelChain
  modelSettings: ModelSettings
  cache: CacheOption
  prices: Prices
  budget: Budget
  retry: Required<RetryOptions>
  guard: GuardOptions | false | undefined
  hooks: Hooks
  onBusy: OnBusy
  sessions: SessionStore
  maxSteps: number
  toolTimeoutMs: number
  modelTimeoutMs: number
  /** The deadline of a whole run, in milliseconds. */
  timeoutMs: number | undefined
  /** How long its approvals can be decided, in milliseconds. */
  approvalMs: number
  /** Called with each stored run that has ended or waits. */
  onRunEnd?: ((run: RunRecord) => void | Promise<void>) | undefined
  /** Whether its steps are not stored, so that no run of it is continued after a crash. */
  cannotContinue?: true
  /** A sentence for each option that has no effect: a warning of each run. */
  ineffectiveOptions?: readonly string[]
  /** Whether a run of it may wait for results of the client. */
  hasClientTools: boolean
  /** Why a result of a client does not fit its tool; see `ResultOwner`. */
  resultProblems(toolName: string, result: JSONValue): Promise<string[] | undefined>
  /** Compiled at the first run, and again when the agent's knowledge has changed. */
  tools(run: ToolRun): Promise<RunTools>
  /** What is remembered of the user, as a text that is inserted before the newest question; see `AgentMemory`. */
  notes?: NonNullable<AgentMemory['promptNotes']> | undefined
  /** Of a swarm whose members share its conversation: its memory, for the member that has it. */
  sharedMemory?: AgentMemory | undefined
  /** The form of the answer, compiled at the first run. */
  outputFormat?(): Promise<OutputFormat>
  /** @throws AgentKitError for a message that the agent does not accept, such as one with images */
  takes?(message: UserMessage): void
  /** Of a swarm. */
  members?: readonly AgentSpec[]
  /** Decides the next step in place of the model. */
  plan?: Plan
  /** What the members have answered that the plan has called: the answer of a run that is stopped without one of its own. */
  membersAnswer?(run: Run): string
  /**
   * Runs members in place of the agent's own steps, where members hand over a conversation to each other.
   * @param takeSteps runs one member until it answers or hands over the conversation
   * @param outer agents outside this one, which each member can hand over to as well
   */
  drive?(run: Run, takeSteps: TakeSteps, outer: readonly AgentSpec[]): Promise<RunFinishReason>
}

/** Runs an agent in its open session until it ends. */
export type TakeSteps = (run: Run, outer?: readonly AgentSpec[]) => Promise<RunFinishReason>

/** One run, as its caller starts it. */
export type RunScope = RunDriver & {
  userId: string
  sessionId: string | undefined
  input: UserMessage
  history: readonly Message[]
  /** The budget of the agent, tightened by that of the run. */
  budget: Budget
  /** The run that has started this one. */
  parent: CurrentRun | undefined
  /** A run of the session that this one replaces. */
  replaces?: string | undefined
  /** Tools that its caller executes, checked. */
  clientTools?: readonly ToolSpec[]
  /** Whether the run is continued after a crash. */
  resumable?: boolean | undefined
  /** Whether notices of its end, and of its waiting, are kept. */
  notifies?: boolean
  /** Continues a stored run, with the input and in the session that it had. */
  continues?: true
  /** Whether a run that continues does not wait for its session: a worker tries again. */
  isDelivered?: boolean
  /** The stored run, where it was just read. */
  known?: StoredRun
  /** The ids of all approvals that a run has requested whose process died; absent for other runs. */
  requested?: ReadonlySet<string>
  /** Whether its process died in a workflow that had its conversation. */
  isWorkflowLost?: boolean
  /** What was emitted of the step in which a process died. */
  interrupted?: InterruptedStep
  /** Of a resumable run: whether another process is to continue it. */
  handover?: Handover
  /** The events that are stored, of a run that keeps them. */
  kept?: EventQueue
  /** Decisions on a suspended run, which is resumed with the input and in the session that it had. */
  decisions?: Decisions
  /** Set for the run of a member, which is part of the run that calls it. */
  member?: {
    turn: OpenTurn
    memberPath: string
    /** The calls that lead to the member, from the outermost run in. */
    callers: string
    store: SessionStore
    /** The outermost run, which is stored. */
    swarm: Run
    /** What members of the member had finished when the run was aborted. */
    stopped: string[]
    suspended?: MemberInMemory
  }
  /** Runs of members that have not ended yet. */
  members: Set<Promise<unknown>>
  /** Where the process traces its runs. */
  trace?: RunTrace | undefined
}

/** The request to leave a run to another process, and the reason with which it ends here. */
export type Handover = {
  isRequested: boolean
  readonly reason: AgentKitError
  /** Set once the run was left to its members: a worker continues it. */
  isDelegated?: true
}

/** What readers have received of the step in which a process died: the rest is emitted by the next process. */
export type InterruptedStep = {
  /** The calls whose results were emitted. */
  results: ReadonlySet<string>
  /** Reads what was cited and not emitted, once. */
  missingSources: (() => Promise<Citation[]>) | undefined
  /** The members that have the conversation and whose start was emitted; their paths below the run's agent. */
  started: Set<string>
  /** Those whose end was emitted. */
  ended: Set<string>
  /** The last step that began, and that ended. */
  stepStart: number | undefined
  stepEnd: number | undefined
  /** How many processes have begun a model call for the steps after the finished ones. */
  modelCalls: number
  /** Whether a model call may have been cut off. */
  isModelCallLost: boolean
}

/** A run as it begins. */
export type NewRun = Pick<Run, 'agent' | 'scope' | 'state' | 'ledger'>

/** A run that has acquired its session. */
export type OpenedRun = NewRun & {
  turn: OpenTurn
  /** Where a resumed run was suspended. */
  snapshot?: RunSnapshot | undefined
  /** Whether other runs have changed the session since then. */
  hasMoved: boolean
  /** False for a run that continues the segment in which its process died. */
  beginsSegment?: boolean
  /** Whether the run had failed and was queued again. */
  isRetried?: boolean
  /** Of a run whose input is not stored yet: the messages before it. */
  unstored?: readonly Message[]
  /** Of a member that has the conversation: the ids from the outside in, and where its own members keep their sessions. */
  place?: { path: readonly string[] } & Pick<Members, 'memberPath' | 'store'>
  /** Of a stored run that continues, as it was before. */
  stored?: StoredRun
  /** Set for a background run. */
  delegates?: Delegates | undefined
}

/** A run with everything that its steps share. */
export type Run = Omit<OpenRun, 'agent' | 'scope' | 'members'> & {
  agent: AgentSpec
  scope: RunScope
  members: Members
  guard: LoopDetector
  /** The model that the run uses until it fails. */
  model: Model
  toolBox: ToolBox
  format: OutputFormat | undefined
  /** How it calls members, where they have runs of their own. */
  delegates: Delegates | undefined
  hookContext: HookContext
  snapshot: RunSnapshot | undefined
  /** The tool that takes the answer, for models that need one. */
  finalTool: string | undefined
  /** Under which providers cache its prompts; `undefined` where they are not to be cached. */
  cacheKey: string | undefined
  /** Calls the model with a prompt for a summary. */
  summarize(prompt: Message[], maxOutputTokens?: number): Promise<string>
}

/** What one call of a tool resulted in. */
export type Attempt = ToolResult & {
  isError: boolean
  /** Of a call that did not finish in time; for its span alone. */
  timeout?: AgentKitError
}

/** What one step resulted in. */
export type StepOutcome =
  | { type: 'answer' | 'tool-calls' | 'try-again'; reply: Reply }
  | { type: 'suspended' }
  | { type: 'handed-over' }
  | { type: 'stopped'; reason: RunFinishReason; why: string }

/** The user of a resumed run whose caller names none. */
export const anyUser = ''
