import type { AnsweredRequest, StoredPrompt } from '../conversation/prompt-cache.ts'
import type { Approval } from '../data/approval-data.ts'
import type { Citation } from '../data/citation.ts'
import type { Message, ToolMessage } from '../data/message.ts'
import type { BudgetSnapshot } from '../policies/ledger.ts'
import { emptyReply, type Reply } from './reply.ts'

/** The results of a run so far, also when it fails. */
export type RunState = {
  /** What the run has added to the conversation, the user's message first. */
  messages: Message[]
  /** Tool results in the order in which they finished; `messages` has them in the order of their calls. */
  finished: ToolMessage[]
  reply: Reply
  /** Finished model calls. */
  steps: number
  /** How many processes have called a model for the step after these. */
  callsOfStep: number
  sources: Citation[]
  /** What finished calls have cited, perhaps before their results are emitted. */
  cited: Citation[]
  warnings: string[]
  /** Pending approvals, while the run is stored as suspended. */
  approvals: Approval[]
  /** When the calls of unknown outcome of the current step began, in milliseconds since 1970, by their ids. */
  begun: Map<string, number>
  /** The calls of the current step that the client executes, by their ids. */
  clientCalls: string[]
  /** Those that the budget has counted, by their ids: a call that is made again counts once. */
  counted: string[]
  /** The answer in the form of the agent's `output`. */
  output: unknown
  /** Answers that did not have that form. */
  invalidOutputs: number
  /** The runs of members in the current step that are part of all this, by their ids. */
  collected: string[]
  /** Reads the answers of members: the run's answer if it is stopped before it has one of its own. */
  membersAnswer?(): string
  /** Summary of the earlier conversation, once a member needed one. */
  summary?: string
  /** The last answered request of each agent that has had the conversation to each model, by `agent model`. */
  answered: Map<string, AnsweredRequest | StoredPrompt>
  /** What each member with a budget has used while it had the conversation, by its path. */
  accounts: Map<string, BudgetSnapshot>
  /** How often each swarm has handed the conversation over since it had it, by its path. */
  handoffs: Map<string, number>
}

/** @param messages the user's message; empty for a resumed run, which restores its messages later */
export function newRunState(messages: readonly Message[]): RunState {
  return {
    messages: [...messages],
    finished: [],
    reply: emptyReply(),
    steps: 0,
    callsOfStep: 0,
    sources: [],
    cited: [],
    warnings: [],
    approvals: [],
    begun: new Map(),
    clientCalls: [],
    counted: [],
    output: undefined,
    invalidOutputs: 0,
    collected: [],
    answered: new Map(),
    accounts: new Map(),
    handoffs: new Map(),
  }
}
