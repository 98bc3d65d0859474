import type { Embedder, Model } from '@agentkit/core'
import {
  type CallTimeouts,
  type ChatCompat,
  callTimeoutNames,
  chatCall,
  checkModelId,
  checkOptions,
  connectionOptionNames,
  type EmbedderOptions,
  isSettled,
  once,
  openaiEmbedder,
  openaiTraits,
  perRequest,
  providerModel,
  toProviderError,
} from '@agentkit/wire'
import { type AcmeOptions, connect, errorContext } from './connection.ts'

/** How long a model may be silent before its call fails with `timeout`. */
export type AcmeModelOptions = CallTimeouts

/** Shorter vectors, where the model can make them, and how long one request may take. */
export type AcmeEmbedderOptions = EmbedderOptions

/** The provider that `acme()` returns. It creates models. */
export type AcmeProvider = {
  readonly id: 'acme'
  /**
   * @throws AgentKitError `missing-key`
   * @throws AgentKitError `invalid-config` for a wrong address, `invalid-argument` for a wrong id or option
   */
  model(id: string, options?: AcmeModelOptions): Model
  /**
   * @throws AgentKitError `missing-key`
   * @throws AgentKitError `invalid-config` for a wrong address, `invalid-argument` for a wrong id or option
   */
  embedder(id: string, options?: AcmeEmbedderOptions): Embedder
}

/**
 * Models of Acme. The SDK is loaded at the first call.
 *
 * @param options.apiKey else `ACME_API_KEY`
 * @param options.baseURL with `/v1`; else `ACME_BASE_URL`, else Acme's own
 * @param options.client a client of your own, used as it is
 * @throws AgentKitError `invalid-config` for an option that does not exist or has a wrong value
 * @example
 * const model = acme().model('acme-1')
 */
export function acme(options: AcmeOptions = {}): AcmeProvider {
  checkOptions(options, connectionOptionNames)
  if (!isSettled(options)) return perRequest(options, acme)
  // Created late, so that a `.env` file that is loaded after this call counts.
  const connection = once(() => connect(options))
  return {
    id: 'acme',
    model(id, timeouts = {}) {
      checkModelId(id, 'acme')
      checkOptions(timeouts, callTimeoutNames, 'invalid-argument')
      const context = errorContext(id, connection())
      const endpoint = { ...connection(), context }
      return providerModel({
        provider: 'acme',
        model: id,
        info: undefined,
        timeouts,
        load: connection().client,
        prepare: (request) => chatCall(request, endpoint, compatOf(id)),
        toError: (error) => toProviderError(error, context),
      })
    },
    embedder(id, settings = {}) {
      checkModelId(id, 'acme', 'embedder')
      const context = errorContext(id, connection())
      return openaiEmbedder({
        provider: 'acme',
        model: id,
        client: connection().client,
        settings,
        toError: (error) => toProviderError(error, context),
      })
    },
  }
}

/** The fields that the server takes, where servers with Chat Completions differ. */
function compatOf(model: string): ChatCompat {
  const traits = openaiTraits(model)
  return {
    maxTokensField: traits.reasoning ? 'max_completion_tokens' : 'max_tokens',
    systemRole: traits.reasoning ? 'developer' : 'system',
    strict: false,
    traits,
  }
}
