import type { Embedder, Model, ModelInfo } from '@agentkit/core'
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
  type ModelFacts,
  modelFacts,
  modelInfoOf,
  once,
  perRequest,
  providerModel,
} from '@agentkit/wire'
import { connect, type GeminiOptions } from './connection.ts'
import { geminiEmbedder } from './embedder.ts'
import { errorContext, toGeminiError } from './errors.ts'
import { type GeminiTraits, geminiTraits } from './gemini-traits.ts'
import models from './models.json' with { type: 'json' }
import { prepareCall } from './request.ts'

/** How long a model may be silent before its call fails with `timeout`. */
export type GeminiModelOptions = CallTimeouts

/** Shorter vectors, where the model can make them, and how long one request may take. */
export type GeminiEmbedderOptions = EmbedderOptions

/** The provider that `gemini()` returns. It creates models. */
export type GeminiProvider = {
  readonly id: 'gemini'
  /**
   * @param id with or without `models/`
   * @throws AgentKitError `missing-key`
   * @throws AgentKitError `invalid-config` for a wrong address, `invalid-argument` for a wrong id or option
   */
  model(id: string, options?: GeminiModelOptions): Model
  /**
   * @throws AgentKitError `missing-key`
   * @throws AgentKitError `invalid-config` for a wrong address, `invalid-argument` for a wrong id or option
   */
  embedder(id: string, options?: GeminiEmbedderOptions): Embedder
}

/**
 * Google's Gemini models, by the Gemini API, or by Vertex with a `client`. The SDK is loaded at the first call.
 *
 * @param options.apiKey else `GOOGLE_API_KEY`, else `GEMINI_API_KEY`
 * @param options.baseURL the root, without a version; else `GOOGLE_GEMINI_BASE_URL`, else Google's own
 * @param options.client a `GoogleGenAI` client of your own, used as it is
 * @throws AgentKitError `invalid-config` for an option that does not exist or has a wrong value
 * @example
 * const model = gemini().model('gemini-3.5-flash')
 * const embedder = gemini().embedder('gemini-embedding-2', { dimensions: 768 })
 */
export function gemini(options: GeminiOptions = {}): GeminiProvider {
  checkOptions(options, { ...connectionOptionNames, client: isClient('new GoogleGenAI({ apiKey })', hasModels) })
  if (!isSettled(options)) return perRequest(options, gemini)
  // Created late, so that a `.env` file that is loaded after this call counts.
  const connection = once(() => connect(options))
  return {
    id: 'gemini',
    model(id, timeouts = {}) {
      checkModelId(id, 'gemini')
      checkOptions(timeouts, callTimeoutNames, 'invalid-argument')
      const model = nameOf(id)
      const traits = geminiTraits(model)
      const facts = modelFacts(model, models)
      const context = errorContext(model, connection())
      return providerModel({
        provider: 'gemini',
        model,
        info: modelInfo(facts, traits),
        timeouts,
        load: connection().client,
        prepare: prepareCall(connection(), context, traits, facts),
        toError: (error) => toGeminiError(error, context),
      })
    },
    embedder: (id, settings = {}) =>
      geminiEmbedder(nameOf(checkModelId(id, 'gemini', 'embedder')), connection(), settings),
  }
}

/** The client of the SDK before `@google/genai` has none. */
function hasModels({ models }: Record<string, unknown>): boolean {
  return (
    isRecord(models) &&
    (typeof models.generateContentStream === 'function' || typeof models.embedContent === 'function')
  )
}

/** Both ways to write an id mean the same model, with the same signatures. */
function nameOf(id: string): string {
  return id.replace(/^models\//, '')
}

function modelInfo(facts: ModelFacts | undefined, { instructed, sinceGemini3 }: GeminiTraits): ModelInfo {
  const nativeOutput = sinceGemini3 ? 'always' : instructed ? 'without-tools' : 'never'
  return { ...modelInfoOf(facts, models), nativeOutput }
}
