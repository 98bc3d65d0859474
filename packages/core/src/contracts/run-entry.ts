import type { Citation } from '../data/citation.ts'
import type { ErrorInfo } from '../data/errors.ts'
import type { AgentEvent, RunFinishReason } from '../data/event.ts'
import type { JSONValue, Message } from '../data/message.ts'
import type { Cost, Usage } from '../data/usage.ts'

/** How a queued run begins. */
export type RunBeginning = {
  /** Empty where the run appends its first messages itself: until then, it begins again when its process has died. */
  messages: readonly Message[]
  /** When it must have ended, in milliseconds since 1970. */
  deadline?: number
  /** Replaces those of its entry. */
  options?: JSONValue
  /** Whether it leaves notices from now on, where its entry did not say so: its worker has someone to notify. */
  notifies?: boolean
}

/** A call of a tool that has begun. */
export type StartedCall = {
  /** The id of the call. */
  callId: string
  /** The name of the tool. */
  name: string
  /** When it began, in milliseconds since 1970. */
  startedAt: number
}

/** What is stored at once. */
export type RunEntry = {
  /** The attempt that writes it; see `RunStore`. */
  attempt: number
  /** The place of the first message among the run's; an entry whose messages are stored already adds none. */
  position?: number
  /** The messages to append. */
  messages?: readonly Message[]
  /** The session's state: replaces the earlier one. */
  state?: JSONValue
  /** Calls that begin now. */
  calls?: readonly StartedCall[]
  /** Replaces the earlier one. */
  progress?: JSONValue
  /** What the run has used by now: replaces the earlier one. */
  usage?: Usage
  /** The events to store, of a run that keeps them. */
  events?: readonly AgentEvent[]
}

/** How a stored run has ended. */
export type RunEnding = {
  /** Whether it has an answer. */
  status: 'done' | 'failed'
  /** Why it ended. */
  finishReason: RunFinishReason
  /** The answer. */
  text?: string
  /** Why it failed. */
  error?: ErrorInfo
  /** Replaces the earlier one. */
  usage?: Usage
  /** What it has cost; absent when the price of a model is not known. */
  cost?: Cost
  /** The passages that the answer is based on. */
  sources?: readonly Citation[]
}
