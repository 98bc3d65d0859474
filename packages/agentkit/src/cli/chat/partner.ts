import type { AgentEvent, Approval } from '@agentkit/core'

/** A file that goes with a question. */
export type SentFile = { name: string; mediaType: string; bytes: Uint8Array<ArrayBuffer> }

export type Question = { text: string; files: readonly SentFile[]; sessionId: string; replaces?: string }

/** What a person says of an approval. */
export type Answer = { approve: boolean; reason?: string }

export type Asked = Pick<Approval, 'approvalId' | 'name' | 'input'> & { path: readonly string[] }

/** Who a chat is with: an agent of this process, or of a server. */
export interface Partner {
  readonly name: string
  /**
   * The events of one answer, up to its end. Approvals are asked, and the events continue after them.
   * @throws AgentKitError, or an Error with a sentence, when it cannot be asked
   */
  ask(question: Question, decide: (asked: Asked) => Promise<Answer>, signal: AbortSignal): AsyncIterable<AgentEvent>
  sessions(): Promise<{ sessionId: string; title: string; updatedAt: string }[]>
  tools(): Promise<{ name: string; description: string }[]>
  files(): Promise<string[]>
  close(): Promise<void>
}
