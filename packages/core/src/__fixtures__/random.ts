/** Pseudo-random numbers from a seed. */
export type Random = {
  /** A whole number from 0, below the bound. */
  below(limit: number): number
  /** From 0, below 1. */
  fraction(): number
  oneIn(count: number): boolean
  pick<Item>(items: readonly Item[]): Item
  /** An independent generator, so that the order of concurrent draws does not change their values. */
  fork(): Random
}

/** Xorshift. */
export function randomOf(seed: number): Random {
  let state = Math.imul(seed + 1, 2_654_435_761)
  const next = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
  const below = (limit: number): number => next() % limit
  for (let warmUp = 0; warmUp < 8; warmUp++) next()
  return {
    below,
    fraction: () => next() / 2 ** 32,
    oneIn: (count) => below(count) === 0,
    // Callers pass only lists with items.
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    fork: () => randomOf(below(2 ** 31)),
  }
}
