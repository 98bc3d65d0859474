import type { SessionStore } from '../contracts/session.ts'
import type { AgentKitError } from '../data/errors.ts'
import type { Message } from '../data/message.ts'
import type { Approval, Decisions } from '../runs/approval.ts'
import type { Progress } from '../runs/progress.ts'
import type { WaitingStep } from '../runs/waiting-step.ts'
import type { OpenTurn } from '../sessions/open-turn.ts'
import type { ToolContext } from '../tools/tool.ts'
import type { Asker } from './ask-model.ts'
import type { RunScope } from './open-run.ts'

/** A member's run that waits for approval, as it is stored with the run that has called it. Plain JSON. */
export type ParkedMember = {
  /** As the calling run shows them: their ids and paths begin with its call and its member. */
  approvals: Approval[]
  history: readonly Message[]
  messages: readonly Message[]
  waiting: WaitingStep
}

/** What a run shares with the members that it calls. */
export type Inside = {
  /** The agents from the outermost in, joined by `/`: what the lanes of its members begin with. */
  lane: string
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
