import type { AgentEvent, Approval, JSONValue } from '@agentkit/core'

/** A file that goes with a question. */
export type SentFile = { name: string; mediaType: string; bytes: Uint8Array<ArrayBuffer> }

export type Question = { text: string; files: readonly SentFile[]; sessionId: string; replaces?: string }

/** A person's decision on an approval, or the result of a call that they execute or whose outcome is unknown. */
export type Answer = { approve: boolean; reason?: string } | { result: JSONValue }

export type Asked = Pick<Approval, 'approvalId' | 'name' | 'input' | 'kind' | 'startedAt'> & { path: readonly string[] }

/** Asks for a decision. If a decision is not valid, it is called again with the problem. */
export type Decide = (asked: Asked, problem?: string) => Promise<Answer>

/** A question whose run is stored in the conversation, although no event of the run arrived. */
export class FailedRun extends Error {
  readonly runId: string

  constructor(runId: string, cause: Error) {
    super(cause.message, { cause })
    this.runId = runId
  }
}

/** A run that waits for decisions. */
export type Waiting = { runId: string; asked: readonly Asked[] }

/** The agent of a chat, in this process or on a server. */
export interface ChatAgent {
  readonly name: string
  /** Of `Runnable.speaker`. */
  readonly speaker: string | undefined
  /**
   * The events of one answer, up to its end. Approvals are asked, and the events continue after them.
   * @throws AgentKitError, or an Error with a sentence, when it cannot be asked
   */
  ask(question: Question, decide: Decide, signal: AbortSignal): AsyncIterable<AgentEvent>
  /** The runs of a conversation that wait for decisions. */
  waiting(sessionId: string): Promise<Waiting[]>
  /** Decides on such a run, and returns its further events. */
  decide(waiting: Waiting, decide: Decide, signal: AbortSignal): AsyncIterable<AgentEvent>
  sessions(): Promise<{ sessionId: string; title: string; updatedAt: string }[]>
  tools(): Promise<{ name: string; description: string }[]>
  files(): Promise<string[]>
  close(): Promise<void>
}
