import type { JSONValue, Message } from './message.ts'
import type { Usage } from './usage.ts'

/** The key of a conversation. Never joined into one string: ("a", "b_c") and ("a_b", "c") are two. */
export type SessionKey = { agentId: string; userId: string; sessionId: string }

/** A session as it is loaded for the next run. */
export type Session = {
  /** Rises by one with each turn that begins, is resumed or ends; `begin` receives it as `expectedVersion`. */
  version: number
  /** What the model may see: always valid, without tool calls that have no result. */
  messages: Message[]
  /** The index of the first of `messages` in the conversation, where `load` left out those before it. */
  from?: number
  state?: JSONValue
}

/** How a turn of a session stands. */
export type TurnStatus = 'running' | 'done' | 'failed' | 'waiting' | 'replaced'

/** One run of a session, as it is stored. */
export type Turn = {
  runId: string
  messages: Message[]
  status: TurnStatus
  usage?: Usage
  /** ISO 8601, UTC. */
  createdAt: string
  state?: JSONValue
}

/** A session in a list: its title and times, without its messages. */
export type SessionInfo = {
  sessionId: string
  /** Set by `rename`; until then the first 60 characters of the first question. */
  title: string
  createdAt: string
  updatedAt: string
  /** Turns that are not replaced. */
  turns: number
  /** The run that holds the session, if there is one. */
  activeRunId?: string
}
