import type { Question } from './chat-agent.ts'

/** The state of a chat in this process. */
export type ChatState = {
  sessionId: string
  /** `runId`: the run that the conversation has of the question. */
  last?: { question: Question; runId?: string }
  /** `isUnpriced`: a model was asked whose price is not known, so that the sum is not known either. */
  used: { answers: number; inputTokens: number; outputTokens: number; usd: number; isUnpriced: boolean }
  /** The sessions that `/sessions` has listed. */
  listed: readonly string[]
  /** Whether a question had no answer. */
  hasFailed: boolean
}

export function newState(sessionId: string): ChatState {
  return {
    sessionId,
    used: { answers: 0, inputTokens: 0, outputTokens: 0, usd: 0, isUnpriced: false },
    listed: [],
    hasFailed: false,
  }
}

export function newSession(): string {
  return `chat-${crypto.randomUUID().slice(0, 13)}`
}
