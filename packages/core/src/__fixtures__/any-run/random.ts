/** Numbers that look random and depend on a seed alone. */
export type Random = {
  /** A whole number from 0 on. */
  below(limit: number): number
  oneIn(count: number): boolean
  pick<Item>(items: readonly Item[]): Item
  /** Numbers of its own: who draws first among things that run at once does not change what the others draw. */
  fork(): Random
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
    // Only lists with items are drawn from.
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    fork: () => randomOf(below(2 ** 31)),
  }
}
