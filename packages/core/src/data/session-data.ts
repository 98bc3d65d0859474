import type { JSONValue, Message } from './message.ts'
import type { Usage } from './usage.ts'

/** The key of a conversation. It is never joined into one string: ("a", "b_c") and ("a_b", "c") are two keys. */
export type SessionKey = {
  /** The id of the agent. */
  agentId: string
  /** The user. */
  userId: string
  /** The conversation of this user with this agent. */
  sessionId: string
}

/** A session as it is loaded for the next run. */
export type Session = {
  /** Rises by one with each turn that begins, is resumed or ends; `begin` receives it as `expectedVersion`. */
  version: number
  /** What the model may see: always valid, without tool calls that have no result. */
  messages: Message[]
  /** The index of the first of `messages` in the conversation, where `load` left out those before it. */
  from?: number
  /** What the agent stored beside the messages, such as the summary of a conversation. */
  state?: JSONValue
}

/** The status of a turn of a session. */
export type TurnStatus = 'running' | 'done' | 'failed' | 'waiting' | 'replaced'

/** One run of a session, as it is stored. */
export type Turn = {
  /** The id of the run. */
  runId: string
  /** The messages of the run, the user's first. */
  messages: Message[]
  /** Whether the run is in progress, has ended or is replaced. */
  status: TurnStatus
  /** The tokens of the run. */
  usage?: Usage
  /** ISO 8601, UTC. */
  createdAt: string
  /** The state of the session after the turn. */
  state?: JSONValue
}

/** A session in a list: its title and times, without its messages. */
export type SessionInfo = {
  /** The id of the session. */
  sessionId: string
  /** Set by `rename`; until then the first 60 characters of the first question. */
  title: string
  /** When its first turn began: ISO 8601, UTC. */
  createdAt: string
  /** When it last changed: ISO 8601, UTC. */
  updatedAt: string
  /** Turns that are not replaced. */
  turns: number
  /** The run that holds the session, if there is one. */
  activeRunId?: string
}
