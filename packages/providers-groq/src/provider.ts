import type { Model } from '@agentkit/core'
import {
  type CallTimeouts,
  callTimeoutNames,
  checkModelId,
  checkOptions,
  connectionOptionNames,
  isClient,
  isSettled,
  modelFacts,
  modelInfoOf,
  noEmbeddings,
  once,
  perRequest,
  providerModel,
} from '@agentkit/wire'
import { connect, type GroqOptions } from './connection.ts'
import { errorContext, toGroqError } from './errors.ts'
import models from './models.json' with { type: 'json' }
import { prepareCall } from './request.ts'

/** How long a model may be silent before its call fails with `timeout`. */
export type GroqModelOptions = CallTimeouts

/** The provider that `groq()` returns. It creates models. */
export type GroqProvider = {
  readonly id: 'groq'
  /**
   * @throws AgentKitError `missing-key`
   * @throws AgentKitError `invalid-config` for a wrong address, `invalid-argument` for a wrong id or option
   */
  model(id: string, options?: GroqModelOptions): Model
  /** @throws AgentKitError `unsupported`, always: Groq has no embeddings */
  embedder(id: string): never
}

/**
 * Models served by Groq. The SDK is loaded when a call fails, to classify it.
 *
 * @param options.apiKey else `GROQ_API_KEY`
 * @param options.baseURL without `/openai/v1`; else `GROQ_BASE_URL`, else Groq's own
 * @param options.client a `Groq` client of your own, used as it is
 * @throws AgentKitError `invalid-config` for an option that does not exist or has a wrong value
 * @example
 * const model = groq().model('openai/gpt-oss-120b')
 */
export function groq(options: GroqOptions = {}): GroqProvider {
  checkOptions(options, { ...connectionOptionNames, client: isClient('new Groq({ apiKey })') })
  if (!isSettled(options)) return perRequest(options, groq)
  // Created late, so that a `.env` file that is loaded after this call counts.
  const connection = once(() => connect(options))
  return {
    id: 'groq',
    model(id, timeouts = {}) {
      checkModelId(id, 'groq')
      checkOptions(timeouts, callTimeoutNames, 'invalid-argument')
      const facts = modelFacts(id, models)
      const context = errorContext(id, connection())
      return providerModel({
        provider: 'groq',
        model: id,
        // Groq holds an answer to a schema only without streaming and without tools.
        info: { ...modelInfoOf(facts, models), nativeOutput: 'never' },
        timeouts,
        load: connection().ready,
        prepare: prepareCall(connection(), context, facts),
        toError: (error) => toGroqError(error, context),
      })
    },
    embedder: (id) => noEmbeddings('Groq', 'groq', id),
  }
}
