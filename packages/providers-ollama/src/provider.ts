import { AgentKitError, type Embedder, type Model, type ModelInfo } from '@agentkit/core'
import {
  batchedEmbedder,
  boundedResponse,
  type CallTimeouts,
  callTimeoutNames,
  checkModelId,
  checkOptions,
  type EmbedderOptions,
  isClient,
  isRecord,
  isSettled,
  type OptionTable,
  once,
  perRequest,
  providerModel,
} from '@agentkit/wire'
import type { EmbedRequest } from 'ollama/browser'
import { type Connection, connect, errorContext, type OllamaOptions, toOllamaError } from './connection.ts'
import { prepareCall } from './request.ts'

/** How long a model may be silent (its first byte: 300,000 ms, it may have to be loaded), and how it is run. */
export type OllamaModelOptions = CallTimeouts & {
  /**
   * How many tokens the model is loaded for, prompt and answer together. The server's own when absent: often 4,096,
   * which is little for an agent. More takes more memory.
   */
  contextWindow?: number | undefined
  /** How long the model stays loaded: seconds, or a text such as `"10m"`; the server's own when absent. */
  keepAlive?: string | number | undefined
}

/** Shorter vectors, where the model can make them, and how long one request may take: 300,000 ms when absent. */
export type OllamaEmbedderOptions = EmbedderOptions

/** The provider that `ollama()` returns. It creates models. */
export type OllamaProvider = {
  readonly id: 'ollama'
  /** @throws AgentKitError `invalid-config` for a wrong address, `invalid-argument` for a wrong id or option */
  model(id: string, options?: OllamaModelOptions): Model
  /** @throws AgentKitError `invalid-config` for a wrong address, `invalid-argument` for a wrong id or option */
  embedder(id: string, options?: OllamaEmbedderOptions): Embedder
}

/** A server loads a model at its first request. */
const firstByteTimeoutMs = 300_000

/** The user's own machine costs nothing. */
const price = { inputUsdPerMillion: 0, outputUsdPerMillion: 0, asOf: '2026-11-22' } as const

/**
 * Models on an Ollama server. The SDK is loaded at the first call.
 *
 * @param options.serverUrl as the `ollama` command takes it; else `OLLAMA_HOST`, else `http://127.0.0.1:11434`
 * @param options.apiKey for a server that wants one; else, for https://ollama.com alone, `OLLAMA_API_KEY`
 * @param options.client an `Ollama` client of your own, used as it is
 * @throws AgentKitError `invalid-config` for an option that does not exist or has a wrong value
 * @example
 * const model = ollama().model('qwen3:8b', { contextWindow: 32_768 })
 * const embedder = ollama().embedder('nomic-embed-text')
 */
export function ollama(options: OllamaOptions = {}): OllamaProvider {
  checkOptions(options, optionNames)
  if (!isSettled(options)) return perRequest(options, ollama)
  // Created late, so that a `.env` file that is loaded after this call counts.
  const connection = once(() => connect(options))
  return {
    id: 'ollama',
    model(id, options = {}) {
      checkModelId(id, 'ollama')
      checkOptions(options, modelOptionNames, 'invalid-argument')
      const { contextWindow, keepAlive, ...timeouts } = options
      if (contextWindow !== undefined) checkWindow(contextWindow)
      const context = errorContext(id, connection())
      const info: ModelInfo = { price, nativeOutput: 'without-tools' }
      if (contextWindow !== undefined) info.contextWindow = contextWindow
      return providerModel({
        provider: 'ollama',
        model: id,
        info,
        timeouts,
        defaultTimeouts: { firstByteTimeoutMs },
        framing: 'ndjson',
        load: connection().load,
        prepare: prepareCall(connection(), context, { contextWindow, keepAlive }),
        toError: (error) => toOllamaError(error, context, connection()),
      })
    },
    embedder: (id, settings = {}) =>
      ollamaEmbedder(checkModelId(id, 'ollama', 'embedder'), connection(), {
        ...settings,
        timeoutMs: settings.timeoutMs ?? firstByteTimeoutMs,
      }),
  }
}

const optionNames: OptionTable<OllamaOptions> = {
  serverUrl: true,
  headers: true,
  fetch: true,
  transport: true,
  client: isClient('new Ollama({ host })', ({ chat }) => typeof chat === 'function'),
  apiKey: true,
}

const modelOptionNames: OptionTable<OllamaModelOptions> = {
  ...callTimeoutNames,
  contextWindow: true,
  keepAlive: true,
}

function checkWindow(contextWindow: number): void {
  if (Number.isSafeInteger(contextWindow) && contextWindow > 0) return
  throw new AgentKitError('invalid-argument', '`contextWindow` is a whole number of tokens.', { provider: 'ollama' })
}

/** The server has no bound, but it answers after the last text, and our timer runs until then. */
const mostTexts = 128

/** A text that is too long for the model fails, instead of being cut. */
function ollamaEmbedder(id: string, connection: Connection, settings: EmbedderOptions): Embedder {
  const context = errorContext(id, connection)
  const { dimensions } = settings
  return batchedEmbedder({
    provider: 'ollama',
    model: id,
    settings,
    mostTexts,
    load: connection.load,
    toError: (error) => toOllamaError(error, context, connection),
    async request(input, signal, _task, mostBytes) {
      const body: EmbedRequest = { model: id, input, truncate: false, ...(dimensions !== undefined && { dimensions }) }
      const response = await connection.send((client) => client.embed(body), signal)
      const answer: unknown = await (await boundedResponse(response, mostBytes, signal)).json()
      return isRecord(answer) ? answer.embeddings : undefined
    },
  })
}
