import { type SessionKey, type SessionStore, visibleMessages } from '@agentkit/core'
import { plainText } from '@agentkit/core/internal'

/** A message of a conversation, as clients see it. */
export type ShownMessage = {
  message: string
  role: 'user' | 'assistant'
  /** When its turn began, ISO 8601, UTC. */
  timestamp: string
}

/** Turns in memory at once: each may hold many large results of tools. */
const pageTurns = 10

/**
 * The texts of a conversation, oldest first: the messages that the model sees, without calls and results of tools.
 * Turns that were replaced, are running, or failed before a tool call had finished are left out.
 */
export async function* shownMessages(store: SessionStore, key: SessionKey): AsyncGenerator<ShownMessage, void> {
  for (let after: string | undefined; ; ) {
    const turns = await store.turns(key, { limit: pageTurns, ...(after !== undefined && { after }) })
    for (const turn of turns) {
      for (const message of visibleMessages(turn)) {
        const text = plainText(message)
        if (text === '' || (message.role !== 'user' && message.role !== 'assistant')) continue
        yield { message: text, role: message.role, timestamp: turn.createdAt }
      }
    }
    after = turns.at(-1)?.runId
    if (after === undefined || turns.length < pageTurns) return
  }
}
