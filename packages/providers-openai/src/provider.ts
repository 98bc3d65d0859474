import type { Embedder, Model, ModelRequest } from '@agentkit/core'
import { isOneOf } from '@agentkit/core/internal'
import {
  type CallTimeouts,
  type ChatCompat,
  callTimeoutNames,
  chatCall,
  checkModelId,
  checkOptions,
  connectionOptionNames,
  type EmbedderOptions,
  type ErrorContext,
  isClient,
  isSettled,
  type OptionTable,
  once,
  openaiEmbedder,
  openaiTraits,
  type PreparedCall,
  perRequest,
  providerModel,
  responsesCall,
  toProviderError,
} from '@agentkit/wire'
import { type Connection, connect, errorContext, type OpenAIOptions } from './connection.ts'
import { modelInfo } from './model-info.ts'

/** How long a model may be silent before its call fails with `timeout`. */
export type OpenAIModelOptions = CallTimeouts

/** Shorter vectors, where the model can make them, and how long one request may take. */
export type OpenAIEmbedderOptions = EmbedderOptions

/** The provider that `openai()` returns. It creates models. */
export type OpenAIProvider = {
  /** `openai`, or the name of the server. */
  readonly id: string
  /**
   * @throws AgentKitError `missing-key` on OpenAI's own server without a key
   * @throws AgentKitError `invalid-config` for a wrong address, `invalid-argument` for a wrong id or option
   */
  model(id: string, options?: OpenAIModelOptions): Model
  /**
   * @throws AgentKitError `missing-key` on OpenAI's own server without a key
   * @throws AgentKitError `invalid-config` for a wrong address, `invalid-argument` for a wrong id or option
   */
  embedder(id: string, options?: OpenAIEmbedderOptions): Embedder
}

/**
 * OpenAI's models, and the models of any server with OpenAI's API (vLLM, LM Studio, llama.cpp, gateways, …). The SDK is
 * loaded when a call fails, to classify it, and by embedders.
 *
 * @param options.name of another server, such as `xai`, with `keyVariable` for its key
 * @param options.apiKey else `LLMPROVIDER_API_KEY`, else `OPENAI_API_KEY`; another server needs none
 * @param options.baseURL with `/v1`; else `OPENAI_BASE_URL`, else OpenAI's own
 * @param options.api `"auto"`: Responses on OpenAI's own server, Chat Completions on any other
 * @param options.transport `"fetch"` sends requests by the global `fetch`, for proxies and instrumentation that need it
 * @param options.client an `OpenAI` client of your own, used as it is
 * @throws AgentKitError `invalid-config` for an option that does not exist or has a wrong value
 * @example
 * const model = openai().model('gpt-5.6-luna')
 * const local = openai({ baseURL: 'http://localhost:8080/v1' }).model('qwen3')
 * const grok = openai({ name: 'xai', baseURL: 'https://api.x.ai/v1', keyVariable: 'XAI_API_KEY' }).model('grok-4')
 */
export function openai(options: OpenAIOptions = {}): OpenAIProvider {
  checkOptions(options, optionNames)
  if (!isSettled(options)) return perRequest(options, openai)
  // Created late, so that a `.env` file that is loaded after this call counts.
  const connection = once(() => connect(options))
  const provider = options.name ?? 'openai'
  return {
    id: provider,
    model(id, timeouts = {}) {
      checkModelId(id, provider)
      checkOptions(timeouts, callTimeoutNames, 'invalid-argument')
      const context = errorContext(id, connection())
      return providerModel({
        provider,
        model: id,
        info: modelInfo(id, connection().official),
        timeouts,
        load: connection().ready,
        prepare: prepareCall(connection(), context),
        toError: (error) => toProviderError(error, context),
      })
    },
    embedder(id, settings = {}) {
      checkModelId(id, provider, 'embedder')
      const context = errorContext(id, connection())
      return openaiEmbedder({
        provider,
        model: id,
        client: connection().client,
        settings,
        toError: (error) => toProviderError(error, context),
      })
    },
  }
}

const optionNames: OptionTable<OpenAIOptions> = {
  ...connectionOptionNames,
  client: isClient('new OpenAI({ apiKey })'),
  name: true,
  keyVariable: true,
  api: isOneOf(['auto', 'responses', 'chat']),
}

/** Maps a request to the API of the connection. */
function prepareCall(connection: Connection, context: ErrorContext): (request: ModelRequest) => PreparedCall {
  const { api, official } = connection
  const known = openaiTraits(context.model)
  // Other servers may refuse fields that they do not know.
  const traits = official ? known : { ...known, caching: 'none' as const }
  const endpoint = { ...connection, context }
  if (api === 'responses') return (request) => responsesCall(request, endpoint, traits)
  // OpenAI's own models get OpenAI's fields on any server; other models get the fields that every server accepts.
  const compat: ChatCompat = {
    maxTokensField: official || traits.reasoning ? 'max_completion_tokens' : 'max_tokens',
    systemRole: traits.reasoning ? 'developer' : 'system',
    strict: official,
    ...(official && { mostStops: 4 }),
    ...(!official && { returnsTo: `${context.provider}/${context.model}` }),
    // OpenAI's models, which the name shows, have no template.
    strictRoles: !official && traits.reasoning === undefined,
    traits,
  }
  return (request) => chatCall(request, endpoint, compat)
}
