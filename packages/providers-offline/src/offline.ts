import { AgentKitError, type Embedder, type Model } from '@agentkit/core'
import { abortError, checkOptionNames } from '@agentkit/core/internal'
import { extractiveModel } from './extractive-model.ts'
import { contentStems } from './words.ts'

/** The clock of the stand-in. */
export type OfflineOptions = {
  /** The day that "tomorrow" and "Friday" count from; the clock's when absent. */
  now?: () => Date
}

/** The provider that `offline()` returns. It creates models. */
export type OfflineProvider = {
  readonly id: 'offline'
  /** @throws AgentKitError `model-not-found` for an id other than `extractive` */
  model(id?: string): Model
  /** @throws AgentKitError `model-not-found` for an id other than `hashed` */
  embedder(id?: string): Embedder
}

/**
 * A stand-in for a provider: no key, no network, no language model, no cost. It chooses tools by their words, fills
 * arguments with values of the message, and quotes results. For first runs, demos and tests. It reads the first 4,000
 * characters of each message and 64 KB of each tool result, and its answer names the parts that it did not read
 * completely; it does not read the instruction.
 *
 * @throws AgentKitError `invalid-config` for an option that does not exist
 * @example
 * const agent = new Agent({ name: 'Demo', functions: [weather], model: offline().model() })
 * await agent.chat('What is the weather in Paris?')
 */
export function offline(options: OfflineOptions = {}): OfflineProvider {
  checkOptionNames(options, { now: true } satisfies Record<keyof OfflineOptions, true>, { code: 'invalid-config' })
  const { now = () => new Date() } = options
  return {
    id: 'offline',
    model(id = 'extractive') {
      if (id !== 'extractive') throw notFound('model', id, 'extractive')
      return extractiveModel(now)
    },
    embedder(id = 'hashed') {
      if (id !== 'hashed') throw notFound('embedder', id, 'hashed')
      return hashedEmbedder()
    },
  }
}

function notFound(kind: string, id: string, known: string): AgentKitError {
  const message = `offline has no ${kind} "${id}". Use "offline/${known}".`
  return new AgentKitError('model-not-found', message, { provider: 'offline', model: id })
}

function notTexts(): AgentKitError {
  const message = "`embed` takes a list of texts: embed(['A text'], signal)."
  return new AgentKitError('invalid-argument', message, { provider: 'offline', model: 'hashed' })
}

const dimensions = 256

/** Words hashed into 256 numbers: deterministic, without a key, and without any meaning. For tests. */
function hashedEmbedder(): Embedder {
  return {
    id: 'offline/hashed',
    dimensions,
    async embed(texts, signal) {
      if (!Array.isArray(texts) || texts.some((text) => typeof text !== 'string')) throw notTexts()
      if (signal.aborted) throw abortError(signal, { provider: 'offline', model: 'hashed' })
      return texts.map(toVector)
    },
  }
}

/** The stems of a text as a vector of length 1; a text without words has the zero vector. */
function toVector(text: string): Float32Array {
  const vector = new Float32Array(dimensions)
  for (const stem of contentStems(text)) {
    let hash = 0x811c_9dc5 // FNV-1a
    for (const char of stem) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x0100_0193) >>> 0
    vector[hash % dimensions] = (vector[hash % dimensions] ?? 0) + 1
  }
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map((value) => value / length)
}
