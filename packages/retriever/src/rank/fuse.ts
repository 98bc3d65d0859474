import type { Found } from '../store/store.ts'

/** A chunk with what each list said of it; `fused` ranks it. */
export type Fused = { id: string; text?: number; vector?: number; fused: number }

/** How much the first places of a list stand out from the next ones: 60 is what reciprocal rank fusion is known with. */
const smoothing = 60

/**
 * One ranking of two, by weighted reciprocal ranks: their scores cannot be compared, their places can.
 *
 * @param text what was found by words, the best first
 * @param vector what was found by meaning, the best first
 * @param weight of the second list; the first has 1. At 0 the second list is left out.
 */
export function fuse(text: readonly Found[], vector: readonly Found[], weight: number): Fused[] {
  const fused = new Map<string, Fused>()
  for (const [index, rank] of ranksOf(text).entries()) {
    // Both lists have as many entries as ranks.
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
  // Sorting is stable: what weighs the same stays in the order of the text list, then of the vector list.
  return [...fused.values()].sort((one, other) => other.fused - one.fused)
}

/**
 * The places of a list's entries, from 1 on. Equal scores share the last of their places: in which order a store
 * returns them says nothing, and a list that cannot tell its entries apart must not lift any of them.
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

/** Cosines of 32-bit numbers differ in their last digits where they are the same. */
export function isTie(one: Found | undefined, other: Found | undefined): boolean {
  if (!one || !other) return false
  return Math.abs(one.score - other.score) <= 1e-6 * Math.max(1, Math.abs(one.score))
}
