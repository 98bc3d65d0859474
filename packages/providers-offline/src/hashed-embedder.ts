import type { Embedder } from '@agentkit/core'
import { abortError } from '@agentkit/core/internal'
import { contentStems } from './tokens.ts'

const dimensions = 256

/** Words hashed into 256 numbers: deterministic and keyless, and it knows no meaning. For tests and first runs. */
export function hashedEmbedder(): Embedder {
  return {
    id: 'offline/hashed',
    dimensions,
    async embed(texts, signal) {
      if (signal.aborted) throw abortError(signal, { provider: 'offline', model: 'hashed' })
      return texts.map(toVector)
    },
  }
}

/** A bag of stems as a vector of length 1; that of a text without words is all zeros. */
function toVector(text: string): Float32Array {
  const vector = new Float32Array(dimensions)
  for (const stem of contentStems(text)) {
    const hash = fnv1a(stem)
    // One bit of the hash is the sign, so that words that share a place cancel out rather than add up.
    vector[hash % dimensions] = (vector[hash % dimensions] ?? 0) + (hash & 0x8000_0000 ? -1 : 1)
  }
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map((value) => value / length)
}

function fnv1a(text: string): number {
  let hash = 0x811c_9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x0100_0193) >>> 0
  }
  return hash
}
