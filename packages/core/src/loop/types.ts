import type { Model } from '../contracts/model.ts'
import type { ModelSettings } from '../contracts/model-settings.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import type { ToolContext } from '../contracts/tool.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { Decisions } from '../data/approval-data.ts'
import type { AgentKitError } from '../data/errors.ts'
import type { Emit, RunFinishReason } from '../data/event.ts'
import type { JSONValue, Message, UserMessage } from '../data/message.ts'
import type { Budget } from '../policies/budget.ts'
import type { ModelChain } from '../policies/fallback.ts'
import type { Guard, GuardOptions } from '../policies/guard.ts'
import type { HookContext, Hooks } from '../policies/hooks.ts'
import type { Ledger } from '../policies/ledger.ts'
import type { Prices } from '../policies/price.ts'
import type { RetryOptions } from '../policies/retry.ts'
import type { CurrentRun } from '../runs/current-run.ts'
import type { RunDriver } from '../runs/run-driver.ts'
import type { Progress } from '../runs/run-state.ts'
import type { ParkedMember, WaitingStep } from '../runs/snapshot.ts'
import type { OutputFormat } from '../schema/structured-output.ts'
import type { OpenTurn } from '../sessions/open-turn.ts'
import type { OnBusy } from '../sessions/session-queue.ts'
import type { RunTools } from '../tools/knowledge-tools.ts'
import type { ToolBox } from '../tools/toolbox.ts'

/** What a run shares with the members that it calls. */
export type Inside = {
  /** The ids of the agents from the outermost in, joined by `/`. The sessions of its members begin with it. */
  memberPath: string
  scope: RunScope
  store: SessionStore
  turn: OpenTurn
  progress: Progress
  asker: Asker
  /** Asks for a summary, by the prompt for it. */
  summarise(prompt: Message[], maxOutputTokens?: number): Promise<string>
  /** Members that wait, by the call that has called them. */
  parked: Map<string, ParkedMember>
  /** What was decided for members that go on now, by that call. */
  decided: Map<string, Decisions>
  /** What members have failed in, by that call. */
  failures: Map<string, AgentKitError>
  /** Whom the conversation was handed to: this step is the last one here. */
  handedTo: string | undefined
  /** Of the conversation, for members that are shown one; made once in a run. */
  summary: Promise<string> | undefined
}

const insideOfRun: unique symbol = Symbol('agentkit.inside')

type InnerContext = ToolContext & { readonly [insideOfRun]?: Inside }

/** A tool's context through which a member's tool, and nobody else, finds the run that calls it. */
export function withInside(context: ToolContext, inside: Inside): ToolContext {
  const inner: InnerContext = Object.defineProperty(context, insideOfRun, { value: inside })
  return inner
}

/** The run that calls a member's tool: such tools are called by runs alone. */
export function insideOf(context: ToolContext): Inside {
  const inside = (context as InnerContext)[insideOfRun]
  if (inside === undefined) throw new TypeError('A member can be called by its swarm alone.')
  return inside
}

/** Thrown by a member's tool whose member waits: the call has no result yet. */
export class MemberWaits extends Error {
  override readonly name = 'MemberWaits'
  readonly callId: string
  readonly parked: ParkedMember
  constructor(callId: string, parked: ParkedMember) {
    super('A member waits for approval.')
    this.callId = callId
    this.parked = parked
  }
}

/** What the model calls of one run share. */
export type Asker = {
  chain: ModelChain
  /** The model that the run's steps stay with until it fails. */
  model: Model
  retry: Required<RetryOptions>
  modelTimeoutMs: number
  ledger: Ledger
  signal: AbortSignal
  emit: Emit
}

/** A call that a plan makes in the place of a model. */
export type PlannedCall = { name: string; input: JSONValue }

/**
 * What comes next: calls, all at once, or the answer, with its value where it is more than text; `undefined` where the
 * model is asked.
 */
export type Planned = { calls: readonly PlannedCall[] } | { answer: string; output?: unknown } | undefined

/** Says what comes next by what the run has come to so far, so that a run that has waited goes on in its place. */
export type Plan = (run: Run) => Planned | Promise<Planned>

/** What the loop needs of an agent. */
export type AgentSpec = {
  id: string
  name: string
  /** What it is good at, for other agents. */
  description: string | undefined
  instruction: string | undefined
  chain: ModelChain
  modelSettings: ModelSettings
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
  /** Of a whole run, in milliseconds. */
  timeoutMs: number | undefined
  /** Options of it that have no effect, a sentence each: warnings of each run. */
  inVain?: readonly string[]
  /** Compiled once, at the first run, and when its knowledge has changed. */
  tools(signal: AbortSignal): Promise<RunTools>
  /** The form of the answer, compiled likewise. */
  outputFormat?(): Promise<OutputFormat>
  /** @throws AgentKitError for a message that the agent does not take, such as one with images */
  takes?(message: UserMessage): void
  /** What comes next where no model decides that: calls, or the answer; `undefined` where the model is asked. */
  plan?: Plan
  /**
   * Runs the agent in place of its own steps, where members hand a conversation to each other.
   * @param next runs a member until it answers or hands the conversation on
   * @param outer agents around this one, which each member may hand on to as well
   */
  drive?(run: Run, next: RunSteps, outer: readonly AgentSpec[]): Promise<RunFinishReason>
}

/** Runs an agent that has its session until it ends. */
export type RunSteps = (run: Run, outer: readonly AgentSpec[]) => Promise<RunFinishReason>

/** What the loop needs of one run. */
export type RunScope = RunDriver & {
  userId: string
  sessionId: string | undefined
  input: UserMessage
  history: readonly Message[]
  /** As the run tightens its agent's. */
  budget: Budget
  /** The run that has started this one. */
  parent: CurrentRun | undefined
  /** What was decided of a run that waits and goes on now, with the input and in the session that it had. */
  decisions?: Decisions
  /** Of a member's run: it is a part of its swarm's. */
  member?: { turn: OpenTurn; memberPath: string; store: SessionStore; parked?: ParkedMember }
  /** Runs of members that are under way. */
  members: Set<Promise<unknown>>
}

export type OpenedSession = {
  turn: OpenTurn
  scope: RunScope
  /** Where a run that goes on had stopped. */
  waiting?: WaitingStep
  /** Whether other runs have added to the session since. */
  moved: boolean
  /** Of the active member of a conversation: where the sessions of its members are stored. */
  place?: Pick<Inside, 'memberPath' | 'store'>
}

/** A run that has its session, with all that its steps share. */
export type Run = {
  agent: AgentSpec
  scope: RunScope
  turn: OpenTurn
  progress: Progress
  ledger: Ledger
  guard: Guard
  asker: Asker
  conversation: Conversation
  toolBox: ToolBox
  format: OutputFormat | undefined
  hookContext: HookContext
  waiting: WaitingStep | undefined
  inside: Inside
  /** Where it stands in a conversation that is handed on: ids from the outside in, mostly none. */
  at: readonly string[]
  /** Steps that were taken before its agent had the conversation. */
  stepsBefore: number
  /** The tool that takes the answer, where the model needs one. */
  finalTool: string | undefined
}

/** The user of a run that goes on for whoever it belongs to. */
export const anyUser = ''
