import { createHash } from 'node:crypto'

/** A fake embedding: the same unit vector for the same text. */
export function embed(text: string, dimensions = 8): Float32Array {
  const vector = new Float32Array(dimensions)
  for (let index = 0; index < dimensions; index++) {
    vector[index] = createHash('sha256').update(`${index}:${text}`).digest().readInt32LE(0) / 2 ** 31
  }
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}
