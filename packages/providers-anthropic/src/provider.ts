import { AgentKitError, type Embedder, type Model } from '@agentkit/core'
import { type CallTimeouts, checkTimeouts, postForStream, providerModel } from '@agentkit/wire'
import { type AnthropicOptions, type Connection, connect } from './connection.ts'
import { errorContext, toError } from './errors.ts'
import { knownModel } from './model-info.ts'
import { toMessagesRequest } from './request.ts'
import { MessagesReader } from './stream.ts'

/** How long a model may be silent before its call ends in `timeout`, and whether prompts are cached. */
export type AnthropicModelOptions = CallTimeouts & {
  /**
   * Keeps a prompt that will be read again (one with tools, or of a conversation that goes on) in Anthropic's cache,
   * where reading it costs a tenth or less, and writing it a quarter more. On when absent.
   */
  promptCaching?: boolean
}

export type AnthropicProvider = {
  readonly id: 'anthropic'
  /** @throws AgentKitError `missing-key` on Anthropic's own server without a key */
  model(id: string, options?: AnthropicModelOptions): Model
  /** @throws AgentKitError `unsupported`, always: Anthropic has no embeddings */
  embedder(id: string): Embedder
}

/**
 * Anthropic's Claude models, and those of any server that speaks like Anthropic's. The SDK is loaded at the first call.
 *
 * @param options.apiKey else `ANTHROPIC_API_KEY`
 * @param options.baseURL the root, without `/v1`; else `ANTHROPIC_BASE_URL`, else Anthropic's own
 * @param options.client an `Anthropic` client of your own, used as it is
 * @example
 * const model = anthropic().model('claude-sonnet-5-5')
 */
export function anthropic(options: AnthropicOptions = {}): AnthropicProvider {
  let connection: Connection | undefined
  // Settled late, so that a `.env` that is read after this call still counts.
  const connected = (): Connection => {
    connection ??= connect(options)
    return connection
  }
  return {
    id: 'anthropic',
    model(id, { promptCaching = true, ...timeouts } = {}) {
      const settled = connected()
      const { client, ownFetch, betas } = settled
      const context = errorContext(id, settled)
      const known = knownModel(id)
      return providerModel({
        provider: 'anthropic',
        model: id,
        info: known.info,
        timeouts: checkTimeouts(timeouts),
        prepare(request) {
          const { body, headers, warnings, renamed } = toMessagesRequest(id, request, {
            ...known,
            promptCaching,
            betas,
          })
          return {
            warnings,
            send: async (signal) => postForStream(await client(), '/v1/messages', body, { signal, ownFetch, headers }),
            reader: new MessagesReader(context, renamed),
          }
        },
        toError: (error) => toError(error, context),
      })
    },
    embedder(id) {
      throw new AgentKitError(
        'unsupported',
        'Anthropic has no embeddings. Use those of OpenAI, Azure, Mistral, Gemini or Ollama.',
        { provider: 'anthropic', model: id },
      )
    },
  }
}
