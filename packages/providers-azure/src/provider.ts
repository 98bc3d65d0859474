import type { Embedder, Model } from '@agentkit/core'
import { isFlag, isFunction, isOneOf, isText } from '@agentkit/core/internal'
import {
  type CallTimeouts,
  callTimeoutNames,
  checkModelId,
  checkOptions,
  type EmbedderOptions,
  isClient,
  isSettled,
  type OptionTable,
  once,
  openaiEmbedder,
  perRequest,
  providerModel,
} from '@agentkit/wire'
import { type AzureOptions, connect } from './connection.ts'
import { errorContext, toAzureError } from './errors.ts'
import { modelInfo } from './model-info.ts'
import { pathOf, prepareCall } from './request.ts'

/** How long a model may be silent before its call fails with `timeout`, and which model it is. */
export type AzureModelOptions = CallTimeouts & {
  /** The model that is deployed, as OpenAI calls it: `gpt-5.6-sol`. Taken from the deployment's name when absent. */
  model?: string | undefined
}

/** Shorter vectors, where the model can make them, and how long one request may take. */
export type AzureEmbedderOptions = EmbedderOptions

/** The provider that `azure()` returns. It creates models. */
export type AzureProvider = {
  readonly id: 'azure'
  /**
   * @throws AgentKitError `missing-key` without a key
   * @throws AgentKitError `invalid-config` without an endpoint or for a wrong one, `invalid-argument` for a wrong id or option
   */
  model(deployment: string, options?: AzureModelOptions): Model
  /**
   * @throws AgentKitError `missing-key` without a key
   * @throws AgentKitError `invalid-config` without an endpoint or for a wrong one, `invalid-argument` for a wrong id or option
   */
  embedder(deployment: string, options?: AzureEmbedderOptions): Embedder
}

/**
 * OpenAI's models on Azure, by the names of their deployments. The SDK is loaded at the first call.
 *
 * @param options.endpoint else `AZURE_OPENAI_ENDPOINT`
 * @param options.apiKey else `AZURE_OPENAI_API_KEY`
 * @param options.azureADTokenProvider gives tokens of Microsoft Entra, in place of a key
 * @param options.api `"chat"`: Chat Completions; `"responses"` for models that want it
 * @param options.client an `AzureOpenAI` client of your own, used as it is
 * @throws AgentKitError `invalid-config` for an option that does not exist or has a wrong value
 * @example
 * const model = azure({ api: 'responses' }).model('my-deployment', { model: 'gpt-5.6-sol' })
 */
export function azure(options: AzureOptions = {}): AzureProvider {
  checkOptions(options, optionNames)
  if (!isSettled(options)) return perRequest(options, azure)
  // Created late, so that a `.env` file that is loaded after this call counts.
  const connection = once(() => connect(options))
  return {
    id: 'azure',
    model(deployment, options = {}) {
      checkModelId(deployment, 'azure')
      checkOptions(options, modelOptionNames, 'invalid-argument')
      const { model = deployment, ...timeouts } = options
      const context = errorContext(deployment, connection(), model)
      return providerModel({
        provider: 'azure',
        model: deployment,
        info: modelInfo(model),
        timeouts,
        load: connection().client,
        prepare: prepareCall(connection(), context, model),
        toError: (error) => toAzureError(error, context),
      })
    },
    embedder(deployment, settings = {}) {
      checkModelId(deployment, 'azure', 'embedder')
      const context = errorContext(deployment, connection())
      return openaiEmbedder({
        provider: 'azure',
        model: deployment,
        client: connection().client,
        path: pathOf(connection(), deployment, '/embeddings'),
        settings,
        toError: (error) => toAzureError(error, context),
      })
    },
  }
}

const optionNames: OptionTable<AzureOptions> = {
  endpoint: true,
  apiKey: true,
  azureADTokenProvider: isFunction,
  apiVersion: true,
  headers: true,
  fetch: true,
  transport: true,
  client: isClient('new AzureOpenAI({ endpoint, apiKey, apiVersion })'),
  api: isOneOf(['chat', 'responses']),
  v1: isFlag,
}

const modelOptionNames: OptionTable<AzureModelOptions> = { ...callTimeoutNames, model: isText }
