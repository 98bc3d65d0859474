import type { Citation } from './citation.ts'
import type { AgentKitError } from './errors.ts'
import type { AgentEvent, RunFinishReason } from './event.ts'
import type { InputPart, Message } from './message.ts'
import type { SessionStore } from './session.ts'
import type { Cost, Usage } from './usage.ts'

export type RunOptions = {
  /** Whose session; `"default"` when absent. */
  userId?: string
  /** Which conversation to continue. Without it nothing is remembered. */
  sessionId?: string
  /** Ends the run when it aborts: `timeout` where its reason is a timeout, `aborted` otherwise. */
  signal?: AbortSignal
  /** Deadline of the whole run, in milliseconds. */
  timeoutMs?: number
  /** Messages that seed a session which has none yet; ignored when it has. Without `sessionId`: what came before. */
  history?: readonly Message[]
}

export type RunResult = {
  runId: string
  /** The last step's text. */
  text: string
  /** What this run added to the conversation, the user's message first. */
  messages: Message[]
  finishReason: RunFinishReason
  usage: Usage
  cost?: Cost
  /** Finished model calls. */
  steps: number
  /** What the answer stands on, in the order in which tools cited it. */
  sources: Citation[]
  warnings: string[]
  error?: AgentKitError
}

/**
 * One run of an agent. It starts when it is first iterated or `result` is first read; both may be used together.
 *
 * Leaving the loop cancels the run. A reader that is slower than the run holds it back once 256 KB wait for it. A run
 * that nobody iterates goes on to its end; events that nobody asked for while it ran are kept up to the same bound.
 */
export interface AgentRun extends AsyncIterable<AgentEvent> {
  readonly runId: string
  /** Never rejects: a failure is in its `error`. */
  readonly result: Promise<RunResult>
  /** Ends the run as `aborted`. */
  cancel(): void
}

/** What a server needs of an agent or a swarm. */
export interface Runnable {
  readonly id: string
  readonly name: string
  readonly samplePrompts: readonly string[]
  readonly sessions: SessionStore
  stream(input: string | InputPart[], options?: RunOptions): AgentRun
}
