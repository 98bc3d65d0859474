import { AgentKitError, type Model } from '@agentkit/core'
import {
  type CallTimeouts,
  ChatReader,
  checkTimeouts,
  modelFacts,
  modelInfoOf,
  postForStream,
  providerModel,
} from '@agentkit/wire'
import { type Connection, connect, type GroqOptions } from './connection.ts'
import { errorContext, toGroqError } from './errors.ts'
import models from './models.json' with { type: 'json' }
import { toGroqRequest } from './request.ts'

/** How long a model may be silent before its call ends in `timeout`. */
export type GroqModelOptions = CallTimeouts

export type GroqProvider = {
  readonly id: 'groq'
  /** @throws AgentKitError `missing-key` */
  model(id: string, options?: GroqModelOptions): Model
  /** @throws AgentKitError `unsupported`: Groq has no embeddings */
  embedder(id: string): never
}

const path = '/openai/v1/chat/completions'

/**
 * Models served by Groq. The SDK is loaded at the first call.
 *
 * @param options.apiKey else `GROQ_API_KEY`
 * @param options.baseURL without `/openai/v1`; else `GROQ_BASE_URL`, else Groq's own
 * @param options.client a `Groq` client of your own, used as it is
 * @example
 * const model = groq().model('openai/gpt-oss-120b')
 */
export function groq(options: GroqOptions = {}): GroqProvider {
  let connection: Connection | undefined
  // Settled late, so that a `.env` that is read after this call still counts.
  const connected = (): Connection => {
    connection ??= connect(options)
    return connection
  }
  return {
    id: 'groq',
    model(id, timeouts = {}) {
      const { client, ownFetch, secrets } = connected()
      const context = errorContext(id, secrets)
      const facts = modelFacts(id, models)
      return providerModel({
        provider: 'groq',
        model: id,
        // Groq holds an answer to a schema only without streaming and without tools.
        info: { ...modelInfoOf(facts, models), nativeOutput: 'never' },
        timeouts: checkTimeouts(timeouts),
        toError: (error) => toGroqError(error, context),
        prepare(request) {
          const { body, warnings } = toGroqRequest(id, request, facts)
          const send = async (signal: AbortSignal): Promise<Response> =>
            postForStream(await client(), path, body, { signal, ownFetch })
          return { warnings, send, reader: new ChatReader(context) }
        },
      })
    },
    embedder(id) {
      const message = 'Groq has no embeddings. OpenAI, Azure, Mistral, Gemini and Ollama have.'
      throw new AgentKitError('unsupported', message, { provider: 'groq', model: id })
    },
  }
}
