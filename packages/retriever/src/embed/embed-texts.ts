import { AgentKitError, type Embedder, withRetries } from '@agentkit/core'
import { untilAborted } from '@agentkit/core/internal'
import { checkVectors, embedderError } from '../util/embedder-error.ts'

/** Limits of one request. Embedders split it further by the limits of their API. */
const mostTexts = 256
const mostCharacters = 200_000
/** The number of concurrent requests. */
const mostRequests = 3
/** About 8,000 tokens, even of a language with many tokens per word: embedding models ignore what follows. */
const mostBytes = 11_000

export type EmbedTextsOptions = {
  embedder: Embedder
  /** The required length of the vectors; absent, the length of the first one. */
  dimensions?: number
  signal: AbortSignal
  /** Called with the vectors of each request as they arrive. */
  onVectors(vectors: ReadonlyMap<string, Float32Array>): void
}

/**
 * Requests the vectors of texts, several requests at once, with retries of transient failures. The
 * vectors have length 1.
 *
 * @param texts by their keys; none is empty
 * @throws the embedder's error, after the requests in progress have settled; DimensionsError for vectors of another length
 */
export async function embedTexts(
  texts: ReadonlyMap<string, string>,
  { embedder, dimensions, signal, onVectors }: EmbedTextsOptions,
): Promise<Map<string, Float32Array>> {
  const vectors = new Map<string, Float32Array>()
  const waiting = batches(texts)
  let failure: { error: unknown } | undefined
  let length = dimensions
  const work = async (): Promise<void> => {
    for (const batch of waiting) {
      // A failure also ends the batches of the other requests.
      if (failure) return
      const answer = await ask(embedder, batch.texts, signal)
      const first = answer[0]?.length ?? 0
      length ??= first
      if (first !== length) throw new DimensionsError(embedder.id, length, first)
      const fresh = new Map(batch.keys.map((key, index) => [key, unit(answer[index] as Float32Array)]))
      onVectors(fresh)
      for (const [key, vector] of fresh) vectors.set(key, vector)
    }
  }
  const workers = Array.from({ length: mostRequests }, () =>
    work().catch((error: unknown) => {
      failure ??= { error }
    }),
  )
  // Requests in progress are paid for, so their vectors are awaited and written to the journal.
  await Promise.all(workers)
  if (failure) throw failure.error
  return vectors
}

/** The embedder returns vectors of another length than expected. */
export class DimensionsError extends AgentKitError {
  readonly found: number

  constructor(id: string, expected: number, found: number) {
    super(
      'invalid-config',
      `The embedder ${id} was to make vectors of ${expected} numbers and made one of ${found}. Set its \`dimensions\` to ${found}.`,
    )
    this.found = found
  }
}

/** The length of an embedder's vectors; measured with one request if it is not declared. */
export async function findDimensions(embedder: Embedder, signal: AbortSignal): Promise<number> {
  if (embedder.dimensions !== undefined) return embedder.dimensions
  const [vector] = await ask(embedder, ['How long is the vector of this text?'], signal)
  return vector?.length ?? 0
}

type Batch = { keys: string[]; texts: string[] }

function* batches(texts: ReadonlyMap<string, string>): Generator<Batch> {
  let batch: Batch = { keys: [], texts: [] }
  let characters = 0
  for (const [key, whole] of texts) {
    const text = shorten(whole)
    if (batch.keys.length === mostTexts || (batch.keys.length > 0 && characters + text.length > mostCharacters)) {
      yield batch
      batch = { keys: [], texts: [] }
      characters = 0
    }
    batch.keys.push(key)
    batch.texts.push(text)
    characters += text.length
  }
  if (batch.keys.length > 0) yield batch
}

function shorten(text: string): string {
  // A UTF-16 code unit takes at most three bytes.
  if (text.length * 3 <= mostBytes) return text
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(mostBytes))
  return text.slice(0, read)
}

async function ask(embedder: Embedder, texts: string[], signal: AbortSignal): Promise<Float32Array[]> {
  const attempt = async (): Promise<Float32Array[]> => {
    try {
      return await embedder.embed(texts, signal, 'document')
    } catch (error) {
      throw embedderError(embedder, error)
    }
  }
  return checkVectors(embedder, await untilAborted(signal, withRetries(attempt, signal)), texts.length)
}

/** The vector scaled to length 1. A zero vector is kept: it has no direction, and is near to nothing. */
function unit(vector: Float32Array): Float32Array {
  let sum = 0
  for (const number of vector) sum += number * number
  const length = Math.sqrt(sum)
  return length === 0 ? vector : vector.map((number) => number / length)
}
