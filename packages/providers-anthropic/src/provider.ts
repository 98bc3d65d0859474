import type { Model } from '@agentkit/core'
import { isFlag } from '@agentkit/core/internal'
import {
  type CallTimeouts,
  callTimeoutNames,
  checkModelId,
  checkOptions,
  connectionOptionNames,
  isClient,
  isSettled,
  noEmbeddings,
  type OptionTable,
  once,
  perRequest,
  providerModel,
} from '@agentkit/wire'
import { type AnthropicOptions, connect } from './connection.ts'
import { errorContext, toAnthropicError } from './errors.ts'
import { knownModel } from './model-info.ts'
import { prepareCall } from './request.ts'

/** How long a model may be silent before its call fails with `timeout`, and whether prompts are cached. */
export type AnthropicModelOptions = CallTimeouts & {
  /**
   * Marks what a request's `cache` plans for Anthropic's cache: reading it costs a tenth or less, writing it a quarter
   * more. `true` when absent.
   */
  promptCaching?: boolean | undefined
}

/** The provider that `anthropic()` returns. It creates models. */
export type AnthropicProvider = {
  readonly id: 'anthropic'
  /**
   * @throws AgentKitError `missing-key` on Anthropic's own server without a key
   * @throws AgentKitError `invalid-config` for a wrong address, `invalid-argument` for a wrong id or option
   */
  model(id: string, options?: AnthropicModelOptions): Model
  /** @throws AgentKitError `unsupported`, always: Anthropic has no embeddings */
  embedder(id: string): never
}

/**
 * Anthropic's Claude models, and the models of any server with Anthropic's API. The SDK is loaded when a call fails, to
 * classify it.
 *
 * @param options.apiKey else `ANTHROPIC_API_KEY`
 * @param options.baseURL the root, without `/v1`; else `ANTHROPIC_BASE_URL`, else Anthropic's own
 * @param options.client an `Anthropic` client of your own, used as it is
 * @throws AgentKitError `invalid-config` for an option that does not exist or has a wrong value
 * @example
 * const model = anthropic().model('claude-sonnet-5-5')
 */
export function anthropic(options: AnthropicOptions = {}): AnthropicProvider {
  checkOptions(options, { ...connectionOptionNames, client: isClient('new Anthropic({ apiKey })') })
  if (!isSettled(options)) return perRequest(options, anthropic)
  // Created late, so that a `.env` file that is loaded after this call counts.
  const connection = once(() => connect(options))
  return {
    id: 'anthropic',
    model(id, options = {}) {
      checkModelId(id, 'anthropic')
      checkOptions(options, modelOptionNames, 'invalid-argument')
      const { promptCaching = true, ...timeouts } = options
      const context = errorContext(id, connection())
      const known = knownModel(id)
      return providerModel({
        provider: 'anthropic',
        model: id,
        info: known.info,
        timeouts,
        load: connection().ready,
        prepare: prepareCall(connection(), context, { ...known, promptCaching }),
        toError: (error) => toAnthropicError(error, context),
      })
    },
    embedder: (id) => noEmbeddings('Anthropic', 'anthropic', id),
  }
}

const modelOptionNames: OptionTable<AnthropicModelOptions> = { ...callTimeoutNames, promptCaching: isFlag }
