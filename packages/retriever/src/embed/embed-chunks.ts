import type { Embedder } from '@agentkit/core'
import { type Chunk, type NewChunk, searchedText } from '../data/chunk.ts'
import type { Store } from '../store/store.ts'
import { embedTexts } from './embed-texts.ts'
import type { Journal } from './journal.ts'

export type EmbedChunksOptions = {
  embedder: Embedder
  dimensions: number
  /** Sources of vectors that the same embedder has already computed. */
  stores: readonly Store[]
  journal: Journal
  signal: AbortSignal
}

/**
 * Returns the vectors of chunks by their `textHash`. The embedder is called only for unknown texts, once per text, and
 * its vectors are written to the journal.
 */
export async function embedChunks(chunks: readonly Chunk[], options: EmbedChunksOptions): Promise<Vectors> {
  const { embedder, dimensions, stores, journal, signal } = options
  const missing = new Map(chunks.map((chunk) => [chunk.textHash, chunk]))
  const vectors = new Map<string, Float32Array>()
  const take = (found: ReadonlyMap<string, Float32Array>): void => {
    for (const [textHash, vector] of found) {
      if (vector.length !== dimensions) continue
      vectors.set(textHash, vector)
      missing.delete(textHash)
    }
  }
  for (const store of stores) if (missing.size > 0) take(await store.vectorsOf([...missing.keys()]))
  take(journal.vectorsOf(missing.keys()))
  if (missing.size > 0) {
    const texts = new Map([...missing].map(([textHash, chunk]) => [textHash, searchedText(chunk)]))
    take(await embedTexts(texts, { embedder, dimensions, signal, onVectors: (fresh) => journal.add(fresh) }))
  }
  return vectors
}

export type Vectors = ReadonlyMap<string, Float32Array>

/** Chunks with their vectors. An empty chunk has none. */
export function withVectors(chunks: readonly Chunk[], vectors: Vectors): NewChunk[] {
  return chunks.map((chunk) => {
    const vector = vectors.get(chunk.textHash)
    return vector?.some((number) => number !== 0) ? { ...chunk, vector } : chunk
  })
}
