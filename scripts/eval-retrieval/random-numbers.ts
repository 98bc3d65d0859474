/** Pseudo-random numbers from 0 to 1, from a seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b_79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A seed that depends on the text alone (FNV-1a). */
export function seedOf(text: string): number {
  let hash = 0x811c_9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x0100_0193) >>> 0
  return hash
}

/** A random direction. */
export function randomVector(seed: number, dimensions: number): Float32Array {
  const random = randomNumbers(seed)
  return Float32Array.from({ length: dimensions }, () => {
    // Box–Muller: normally distributed numbers give uniformly distributed directions.
    return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  })
}
