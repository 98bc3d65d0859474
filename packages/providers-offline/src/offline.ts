import { AgentKitError, type Embedder, type Model } from '@agentkit/core'
import { extractiveModel } from './extractive-model.ts'
import { hashedEmbedder } from './hashed-embedder.ts'

export type OfflineOptions = {
  /** The day that "tomorrow" and "Friday" count from; the clock's when absent. */
  now?: () => Date
}

export type OfflineProvider = {
  readonly id: 'offline'
  model(id?: string): Model
  embedder(id?: string): Embedder
}

/**
 * A stand-in for a provider: no key, no network, no language model, no cost. It picks tools by their words, fills
 * arguments that stand in the message, and quotes results and passages. For first runs, demos and tests.
 * It reads the first 4,000 characters of each message and 64 KB of each tool result and of the instruction; where it
 * cut something, its answer says so.
 *
 * @example
 * const agent = new Agent({ name: 'Demo', functions: [weather], model: offline().model() })
 * await agent.chat('What is the weather in Paris?')
 */
export function offline({ now = () => new Date() }: OfflineOptions = {}): OfflineProvider {
  return {
    id: 'offline',
    model(id = 'extractive') {
      if (id !== 'extractive') throw notFound('model', id, 'extractive')
      return extractiveModel(now)
    },
    embedder(id = 'hashed') {
      if (id !== 'hashed') throw notFound('embedder', id, 'hashed')
      return hashedEmbedder()
    },
  }
}

function notFound(kind: string, id: string, known: string): AgentKitError {
  return new AgentKitError('model-not-found', `offline has no ${kind} "${id}". Use "offline/${known}".`, {
    provider: 'offline',
    model: id,
  })
}
