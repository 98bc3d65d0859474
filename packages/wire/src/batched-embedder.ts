import { AgentKitError, abortError, type Embedder } from '@agentkit/core'
import { type Callee, CallWatch, checkTimeouts } from './call-watch.ts'
import { isRecord } from './is-record.ts'
import { wellFormed } from './text.ts'

/** What the embedder of any provider may be told. */
export type EmbedderOptions = {
  /** Shorter vectors than the model's own, where it can make them. */
  dimensions?: number | undefined
  /** How long one request may take, in milliseconds; 60,000 when absent. */
  timeoutMs?: number | undefined
}

export type BatchedEmbedderOptions = Callee & {
  settings: EmbedderOptions
  /** The API's bound on the texts of one request. */
  mostTexts: number
  /** Keeps a request under the API's bound of tokens; 300,000 when absent. */
  mostCharacters?: number
  /** Loads what `request` needs, such as an SDK: that is not the server's silence. */
  ready?(): Promise<unknown>
  /**
   * Asks for the vectors of one batch.
   * @returns one list of numbers for each text, in the order of the texts
   */
  request(texts: string[], signal: AbortSignal, task: 'document' | 'query' | undefined): Promise<unknown>
  toError(error: unknown): AgentKitError
}

/** An embedder that asks for as many vectors at once as the API gives. For every provider. */
export function batchedEmbedder(options: BatchedEmbedderOptions): Embedder {
  const { provider, model, settings, mostTexts, mostCharacters = 300_000, request, toError } = options
  const { dimensions, timeoutMs } = settings
  // The whole answer comes at once.
  const timeouts = checkTimeouts(timeoutMs === undefined ? {} : { firstByteTimeoutMs: timeoutMs })
  return {
    id: `${provider}/${model}`,
    ...(dimensions !== undefined && { dimensions }),
    async embed(texts, signal, task) {
      if (signal.aborted) throw abortError(signal, options)
      const vectors: Float32Array[] = []
      for (const batch of batches(texts, mostTexts, mostCharacters)) {
        const watch = new CallWatch(signal, timeouts, options)
        try {
          watch.listen()
          await watch.race(Promise.resolve(options.ready?.()))
          watch.start()
          const answer = await watch.race(request(batch, watch.signal, task))
          vectors.push(...toVectors(answer, batch.length, options))
        } catch (error) {
          throw watch.failure ?? (error instanceof SyntaxError ? malformed(batch.length, options) : toError(error))
        } finally {
          watch.cancel()
        }
      }
      return vectors
    },
  }
}

function* batches(texts: readonly string[], mostTexts: number, mostCharacters: number): Generator<string[]> {
  let batch: string[] = []
  let characters = 0
  for (const text of texts) {
    if (batch.length === mostTexts || (batch.length > 0 && characters + text.length > mostCharacters)) {
      yield batch
      batch = []
      characters = 0
    }
    // The APIs refuse empty text.
    batch.push(wellFormed(text) || ' ')
    characters += text.length
  }
  if (batch.length > 0) yield batch
}

function toVectors(answer: unknown, count: number, callee: Callee): Float32Array[] {
  if (!Array.isArray(answer)) throw malformed(count, callee)
  const isOne = (vector: unknown): vector is number[] => isVector(vector) && vector.length === answer.at(0)?.length
  if (answer.length === count && answer.every(isOne)) return answer.map((vector) => Float32Array.from(vector))
  throw malformed(count, callee)
}

function malformed(count: number, { provider, model }: Callee): AgentKitError {
  const message = `${provider} did not answer with one vector for each of ${count} texts, all of one length.`
  return new AgentKitError('malformed-stream', message, { provider, model, retryable: true })
}

/** More than any API gives in one answer; an index of a thousand million would make a list as long. */
const mostVectors = 10_000

/**
 * The vectors of an embeddings answer as OpenAI and Mistral write it, `{ data: [{ index, embedding }, …] }`, in the
 * order of the texts, which `index` gives.
 */
export function vectorsByIndex(answer: unknown): unknown {
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
