import type { Found } from '../store/store.ts'

/** A chunk with its scores in both lists; `fused` is the rank score. */
export type Fused = { id: string; text?: number; vector?: number; fused: number }

/** The constant of reciprocal rank fusion; 60 is the value of the literature. */
const smoothing = 60

/**
 * Merges two rankings by weighted reciprocal ranks: their scores are not comparable, their ranks are.
 *
 * @param text hits of the text search, the best first
 * @param vector hits of the vector search, the best first
 * @param weight of the second list; the first has 1. At 0 the second list is ignored.
 */
export function fuse(text: readonly Found[], vector: readonly Found[], weight: number): Fused[] {
  const fused = new Map<string, Fused>()
  for (const [index, rank] of ranksOf(text).entries()) {
    // Both lists have one rank per entry.
    const { id, score } = text[index] as Found
    fused.set(id, { id, text: score, fused: 1 / (smoothing + rank) })
  }
  if (weight > 0) {
    for (const [index, rank] of ranksOf(vector).entries()) {
      const { id, score } = vector[index] as Found
      const known = fused.get(id) ?? { id, fused: 0 }
      fused.set(id, { ...known, vector: score, fused: known.fused + weight / (smoothing + rank) })
    }
  }
  // The sort is stable: equal scores keep the order of the text list, then of the vector list.
  return [...fused.values()].sort((one, other) => other.fused - one.fused)
}

/**
 * The ranks of a list's entries, from 1 on. Equal scores share their last rank: the order in which a store returns them
 * carries no information, and a list that does not distinguish its entries must not lift any of them.
 */
function ranksOf(found: readonly Found[]): number[] {
  const ranks = new Array<number>(found.length)
  let last = found.length
  for (let index = found.length - 1; index >= 0; index--) {
    if (index < found.length - 1 && !isTie(found[index], found[index + 1])) last = index + 1
    ranks[index] = last
  }
  return ranks
}

/** Equal cosines of 32-bit vectors may differ in their last digits. */
export function isTie(one: Found | undefined, other: Found | undefined): boolean {
  if (!one || !other) return false
  return Math.abs(one.score - other.score) <= 1e-6 * Math.max(1, Math.abs(one.score))
}
