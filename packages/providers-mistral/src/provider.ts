import type { Embedder, Model } from '@agentkit/core'
import {
  type CallTimeouts,
  callTimeoutNames,
  checkModelId,
  checkOptions,
  connectionOptionNames,
  type EmbedderOptions,
  isClient,
  isRecord,
  isSettled,
  modelFacts,
  modelInfoOf,
  once,
  perRequest,
  providerModel,
} from '@agentkit/wire'
import { connect, type MistralOptions } from './connection.ts'
import { mistralEmbedder } from './embedder.ts'
import { errorContext, toMistralError } from './errors.ts'
import models from './models.json' with { type: 'json' }
import { loadChatStream, prepareCall } from './request.ts'

/** How long a model may be silent before its call fails with `timeout`. */
export type MistralModelOptions = CallTimeouts

/** Shorter vectors, where the model can make them, and how long one request may take. */
export type MistralEmbedderOptions = EmbedderOptions

/** The provider that `mistral()` returns. It creates models. */
export type MistralProvider = {
  readonly id: 'mistral'
  /**
   * @throws AgentKitError `missing-key` on Mistral's own servers without a key
   * @throws AgentKitError `invalid-config` for a wrong address, `invalid-argument` for a wrong id or option
   */
  model(id: string, options?: MistralModelOptions): Model
  /**
   * @throws AgentKitError `missing-key` on Mistral's own servers without a key
   * @throws AgentKitError `invalid-config` for a wrong address, `invalid-argument` for a wrong id or option
   */
  embedder(id: string, options?: MistralEmbedderOptions): Embedder
}

/**
 * Mistral's models. The SDK is loaded at the first call.
 *
 * @param options.apiKey else `MISTRAL_API_KEY`; a server of your own needs none
 * @param options.baseURL the root of a server that speaks like Mistral's, without `/v1`
 * @param options.client a `Mistral` client of your own, used as it is
 * @throws AgentKitError `invalid-config` for an option that does not exist or has a wrong value
 * @example
 * const model = mistral().model('mistral-small-2603')
 * const embedder = mistral().embedder('mistral-embed')
 */
export function mistral(options: MistralOptions = {}): MistralProvider {
  checkOptions(options, { ...connectionOptionNames, client: isClient('new Mistral({ apiKey })', hasSettings) })
  if (!isSettled(options)) return perRequest(options, mistral)
  // Created late, so that a `.env` file that is loaded after this call counts.
  const connection = once(() => connect(options))
  return {
    id: 'mistral',
    model(id, timeouts = {}) {
      checkModelId(id, 'mistral')
      checkOptions(timeouts, callTimeoutNames, 'invalid-argument')
      const facts = modelFacts(id, models)
      const context = errorContext(id, connection())
      return providerModel({
        provider: 'mistral',
        model: id,
        // Mistral refuses a schema for the answer beside tools.
        info: { ...modelInfoOf(facts, models), nativeOutput: 'without-tools' },
        timeouts,
        load: () => Promise.all([connection().load(), loadChatStream()]),
        prepare: prepareCall(connection(), context, facts),
        toError: (error) => toMistralError(error, context),
      })
    },
    embedder: (id, settings = {}) => mistralEmbedder(checkModelId(id, 'mistral', 'embedder'), connection(), settings),
  }
}

/** The client of an SDK before version 1 has none. */
function hasSettings({ _options }: Record<string, unknown>): boolean {
  return isRecord(_options)
}
