import { AgentKitError, type Embedder, isAgentKitError } from '@agentkit/core'
import { abortError, estimateText, isCount } from '@agentkit/core/internal'
import { failureOfBody, isFlatError, RefusedRequest } from '../errors/failure.ts'
import type { Callee } from '../errors/provider-error.ts'
import { wellFormed } from '../messages/text.ts'
import { CallWatch, checkTimeouts } from '../stream/call-watch.ts'
import { isRecord } from '../util/json.ts'
import { checkOptions } from './factory-options.ts'

/** The options of every provider's embedder. */
export type EmbedderOptions = {
  /** The length of the vectors, for models that can shorten them. */
  dimensions?: number | undefined
  /** Longest time for one request, in milliseconds; 60,000 when absent. */
  timeoutMs?: number | undefined
}

export type BatchedEmbedderOptions = Callee & {
  settings: EmbedderOptions
  /** The API's limit of texts per request. */
  mostTexts: number
  /** The API's limit of tokens per request, of which an estimate is an upper one; 300,000 when absent. */
  mostTokens?: number
  /** Loads what `request` needs, such as an SDK; this time does not count for the timeout. */
  load?(): Promise<unknown>
  /**
   * Requests the vectors of one batch.
   * @returns one list of numbers for each text, in the order of the texts
   */
  request(
    texts: string[],
    signal: AbortSignal,
    task: 'document' | 'query' | undefined,
    /** Longest response, in bytes: see `boundedResponse`. */
    mostBytes: number,
  ): Promise<unknown>
  toError(error: unknown): AgentKitError
}

/** An embedder that sends batches as large as the API accepts. */
export function batchedEmbedder(options: BatchedEmbedderOptions): Embedder {
  const { provider, model, settings, mostTexts, mostTokens = 300_000, request, toError } = options
  checkOptions(settings, { dimensions: isCount, timeoutMs: true }, 'invalid-argument')
  const { dimensions, timeoutMs } = settings
  // The whole response arrives at once.
  const timeouts = checkTimeouts(timeoutMs === undefined ? {} : { firstByteTimeoutMs: timeoutMs })
  return {
    id: `${provider}/${model}`,
    ...(dimensions !== undefined && { dimensions }),
    async embed(texts, signal, task) {
      checkTexts(texts, options)
      if (signal.aborted) throw abortError(signal, options)
      const vectors: Float32Array[] = []
      let length = dimensions
      for (const batch of batches(texts, mostTexts, mostTokens)) {
        const watch = new CallWatch(signal, timeouts, options)
        try {
          watch.listen()
          await watch.race(Promise.resolve(options.load?.()))
          watch.start()
          const mostBytes = answerBytes(batch.length, length)
          const answer = await watch.race(request(batch, watch.signal, task, mostBytes))
          for (const vector of toVectors(answer, batch.length, length, options)) vectors.push(vector)
          length ??= vectors[0]?.length
        } catch (error) {
          if (!watch.failure && isAgentKitError(error)) Object.assign(error, { provider, model })
          throw watch.failure ?? (error instanceof SyntaxError ? malformed(batch.length, options) : toError(error))
        } finally {
          watch.cancel()
        }
      }
      return vectors
    },
  }
}

/** The letters of a text would be embedded one by one. */
function checkTexts(texts: readonly string[], { provider, model }: Callee): void {
  if (Array.isArray(texts) && texts.every((text) => typeof text === 'string')) return
  const message = "`embed` takes a list of texts: embed(['A text'], signal)."
  throw new AgentKitError('invalid-argument', message, { provider, model })
}

function* batches(texts: readonly string[], mostTexts: number, mostTokens: number): Generator<string[]> {
  let batch: string[] = []
  let characters = 0
  let tokens = 0
  for (const text of texts) {
    const size = estimateText(text)
    const isFull = tokens + size > mostTokens || characters + text.length > mostCharacters
    if (batch.length === mostTexts || (batch.length > 0 && isFull)) {
      yield batch
      batch = []
      characters = 0
      tokens = 0
    }
    // The APIs reject empty text.
    batch.push(wellFormed(text) || ' ')
    characters += text.length
    tokens += size
  }
  if (batch.length > 0) yield batch
}

/** The limit of one request, whose answer is twenty times as long. */
const mostCharacters = 300_000

/** The assumed length of vectors if it is not known: more than any model has. */
const mostDimensions = 8_192
/** A number as JSON, with the spaces of servers that indent. */
const numberBytes = 40
/** The rest of the response. */
const otherBytes = 65_536
const mostAnswerBytes = 268_435_456

/** The longest valid response to a request. */
function answerBytes(count: number, dimensions = mostDimensions): number {
  return Math.min(mostAnswerBytes, otherBytes + count * (dimensions * numberBytes + 512))
}

function toVectors(answer: unknown, count: number, length: number | undefined, callee: Callee): Float32Array[] {
  if (!Array.isArray(answer) || answer.length !== count) throw malformed(count, callee)
  const wanted = length ?? answer.at(0)?.length
  const isOne = (vector: unknown): vector is number[] => isVector(vector) && vector.length === wanted
  if (answer.every(isOne)) return answer.map((vector) => Float32Array.from(vector))
  throw malformed(count, callee, length)
}

function malformed(count: number, { provider, model }: Callee, length?: number): AgentKitError {
  const wanted = length === undefined ? 'all of one length' : `each of ${length} numbers`
  const message = `${provider} did not answer with one vector for each of ${count} texts, ${wanted}.`
  return new AgentKitError('malformed-stream', message, { provider, model, retryable: true })
}

/** More than any API returns at once; a larger `index` would create a list of that length. */
const mostVectors = 10_000

/**
 * The vectors in an embeddings response of OpenAI or Mistral, `{ data: [{ index, embedding }, …] }`, ordered by `index` as
 * the texts are.
 * @throws RefusedRequest for an error, which gateways also answer under the status 200
 */
export function vectorsByIndex(answer: unknown): unknown {
  if (isRecord(answer) && !answer.data && (answer.error || isFlatError(answer))) {
    throw new RefusedRequest(failureOfBody(answer))
  }
  const data = isRecord(answer) ? answer.data : undefined
  if (!Array.isArray(data)) return undefined
  const vectors: unknown[] = []
  data.forEach((item: unknown, position) => {
    if (!isRecord(item)) return
    const { index, embedding } = item
    const place = typeof index === 'number' ? index : position
    if (place < mostVectors) vectors[place] = embedding
  })
  return Array.from(vectors)
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((number) => typeof number === 'number')
}
