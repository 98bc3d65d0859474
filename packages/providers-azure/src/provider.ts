import type { Embedder, Model } from '@agentkit/core'
import { type CallTimeouts, checkTimeouts, openaiEmbedder, providerModel } from '@agentkit/wire'
import { type AzureOptions, type Connection, connect } from './connection.ts'
import { errorContext, toAzureError } from './errors.ts'
import { modelInfo } from './model-info.ts'
import { pathOf, prepareCall } from './request.ts'

/** How long a model may be silent before its call ends in `timeout`, and which model it is. */
export type AzureModelOptions = CallTimeouts & {
  /** The model that is deployed, as OpenAI calls it: `gpt-5.6-sol`. Where it is absent, the deployment's name tells. */
  model?: string
}

export type AzureEmbedderOptions = {
  /** Shorter vectors than the model's own, where it can make them. */
  dimensions?: number
  /** How long one request may take, in milliseconds; 60,000 when absent. */
  timeoutMs?: number
}

export type AzureProvider = {
  readonly id: 'azure'
  /** @throws AgentKitError `missing-key`, `invalid-config` without an endpoint */
  model(deployment: string, options?: AzureModelOptions): Model
  /** @throws AgentKitError `missing-key`, `invalid-config` without an endpoint */
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
 * @example
 * const model = azure({ api: 'responses' }).model('my-deployment', { model: 'gpt-5.6-sol' })
 */
export function azure(options: AzureOptions = {}): AzureProvider {
  let connection: Connection | undefined
  // Settled late, so that a `.env` that is read after this call still counts.
  const connected = (): Connection => {
    connection ??= connect(options)
    return connection
  }
  return {
    id: 'azure',
    model(deployment, { model = deployment, ...timeouts } = {}) {
      const context = errorContext(deployment, connected(), model)
      return providerModel({
        provider: 'azure',
        model: deployment,
        info: modelInfo(model),
        timeouts: checkTimeouts(timeouts),
        prepare: prepareCall(connected(), context, model),
        toError: (error) => toAzureError(error, context),
      })
    },
    embedder(deployment, { dimensions, timeoutMs } = {}) {
      const context = errorContext(deployment, connected())
      return openaiEmbedder({
        provider: 'azure',
        model: deployment,
        client: connected().client,
        path: pathOf(connected(), deployment, '/embeddings'),
        dimensions,
        timeouts: checkTimeouts(timeoutMs === undefined ? {} : { firstByteTimeoutMs: timeoutMs }),
        toError: (error) => toAzureError(error, context),
      })
    },
  }
}
