import type { Embedder, FilePart, ImagePart, Model, ModelInfo, ModelRequest } from '@agentkit/core'
import {
  type CallTimeouts,
  checkTimeouts,
  type ErrorContext,
  type ModelFacts,
  type ModelTable,
  modelFacts,
  modelInfoOf,
  type PreparedCall,
  providerModel,
  readableMessages,
  takeResponse,
  toProviderError,
} from '@agentkit/wire'
import { type Connection, connect, type GeminiOptions } from './connection.ts'
import { geminiEmbedder } from './embedder.ts'
import { errorContext, failureOfGeminiError } from './errors.ts'
import { type GeminiTraits, geminiTraits } from './model-traits.ts'
import models from './models.json' with { type: 'json' }
import { toGeminiRequest } from './request.ts'
import { GeminiReader } from './stream.ts'

/** How long a model may be silent before its call ends in `timeout`. */
export type GeminiModelOptions = CallTimeouts

export type GeminiEmbedderOptions = {
  /** Shorter vectors than the model's own. */
  dimensions?: number
  /** How long one request may take, in milliseconds; 60,000 when absent. */
  timeoutMs?: number
}

export type GeminiProvider = {
  readonly id: 'gemini'
  /**
   * @param id with or without `models/`
   * @throws AgentKitError `missing-key`
   */
  model(id: string, options?: GeminiModelOptions): Model
  /** @throws AgentKitError `missing-key` */
  embedder(id: string, options?: GeminiEmbedderOptions): Embedder
}

/**
 * Google's Gemini models, by the Gemini API; those of Vertex by a `client`. The SDK is loaded at the first call.
 *
 * @param options.apiKey else `GOOGLE_API_KEY`, else `GEMINI_API_KEY`
 * @param options.baseURL the root, without a version; else `GOOGLE_GEMINI_BASE_URL`, else Google's own
 * @param options.client a `GoogleGenAI` client of your own, used as it is
 * @example
 * const model = gemini().model('gemini-3.5-flash')
 * const embedder = gemini().embedder('gemini-embedding-2', { dimensions: 768 })
 */
export function gemini(options: GeminiOptions = {}): GeminiProvider {
  let connection: Connection | undefined
  // Settled late, so that a `.env` that is read after this call still counts.
  const connected = (): Connection => {
    connection ??= connect(options)
    return connection
  }
  return {
    id: 'gemini',
    model: (id, timeouts = {}) => geminiModel(nameOf(id), connected(), checkTimeouts(timeouts)),
    embedder: (id, { dimensions, timeoutMs } = {}) =>
      geminiEmbedder(nameOf(id), connected(), {
        ...(dimensions !== undefined && { dimensions }),
        timeouts: checkTimeouts(timeoutMs === undefined ? {} : { firstByteTimeoutMs: timeoutMs }),
      }),
  }
}

/** The two ways to write an id mean one model, whose signatures are the same. */
function nameOf(id: string): string {
  return id.replace(/^models\//, '')
}

function geminiModel(model: string, connection: Connection, timeouts: Required<CallTimeouts>): Model {
  const context = errorContext(model, connection.secrets)
  const traits = geminiTraits(model)
  const facts = modelFacts(model, table)
  return providerModel({
    provider: 'gemini',
    model,
    info: modelInfo(facts, traits),
    timeouts,
    prepare: (request) => prepareCall(request, { connection, context, traits, facts }),
    toError: (error) => toProviderError(error, context, failureOfGeminiError),
  })
}

const table: ModelTable = models

function modelInfo(facts: ModelFacts | undefined, { instructed, sinceGemini3 }: GeminiTraits): ModelInfo {
  const nativeOutput = sinceGemini3 ? 'always' : instructed ? 'without-tools' : 'never'
  return { ...modelInfoOf(facts, table), nativeOutput }
}

type Target = { connection: Connection; context: ErrorContext; traits: GeminiTraits; facts: ModelFacts | undefined }

function prepareCall(request: ModelRequest, { connection, context, traits, facts }: Target): PreparedCall {
  const { model } = context
  const unread: string[] = []
  const messages = [...readableMessages(request.messages, (part) => reads(part, facts), model, unread)]
  const reader = { owner: `gemini/${model}`, traits }
  const { body, warnings } = toGeminiRequest(model, { ...request, messages }, reader, facts)
  return {
    warnings: [...unread, ...warnings],
    reader: new GeminiReader(context),
    async send(signal) {
      const { models } = await connection.client()
      const { contents, config } = body
      return takeResponse(
        (fetch) =>
          models.generateContentStream({
            model,
            contents,
            config: { ...config, ...sdkSettings, httpOptions: { ...connection.httpOptions, fetch } },
          }),
        { signal, fetch: connection.fetch },
      )
    },
  }
}

/** The SDK only makes the request: it calls no tools, and asks for no more by itself. */
const sdkSettings = { automaticFunctionCalling: { disable: true }, automaticContinuation: false } as const

function reads(part: ImagePart | FilePart, facts: ModelFacts | undefined): boolean {
  if (!facts?.reads) return true
  if (part.type === 'image' || part.mediaType.startsWith('image/')) return facts.reads.includes('image')
  return part.mediaType !== 'application/pdf' || facts.reads.includes('pdf')
}
