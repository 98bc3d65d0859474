import type { JSONValue, Message } from './message.ts'
import type { Usage } from './usage.ts'

/** What names a conversation. Never joined into one string: ("a", "b_c") and ("a_b", "c") are two. */
export type SessionKey = { agentId: string; userId: string; sessionId: string }

/** A session as the next run needs it. */
export type Session = {
  /** Moves by one with each turn that begins, goes on or ends; `begin` takes it back as `expectedVersion`. */
  version: number
  /** What the model may see: always valid, never a tool call without its result. */
  messages: Message[]
  state?: JSONValue
}

export type TurnStatus = 'running' | 'done' | 'failed' | 'waiting'

/** One run of a session, as it was journaled. */
export type Turn = {
  runId: string
  messages: Message[]
  status: TurnStatus
  usage?: Usage
  /** ISO 8601, UTC. */
  createdAt: string
  state?: JSONValue
}

export type SessionInfo = { sessionId: string; createdAt: string; updatedAt: string; turns: number }
