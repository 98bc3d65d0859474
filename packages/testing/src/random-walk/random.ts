/** Pseudo-random numbers from a seed. */
export type Random = {
  /** A whole number from 0, below the bound. */
  below(limit: number): number
  oneIn(count: number): boolean
  pick<Item>(items: readonly Item[]): Item
}

/** Xorshift. */
export function randomOf(seed: number): Random {
  let state = Math.imul(seed + 1, 2_654_435_761)
  const below = (limit: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % limit
  }
  for (let warmUp = 0; warmUp < 8; warmUp++) below(1)
  return {
    below,
    oneIn: (count) => below(count) === 0,
    // Callers pass only lists with items.
    pick: (items) => items[below(items.length)] as (typeof items)[number],
  }
}
