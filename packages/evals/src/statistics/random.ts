import { sha256 } from '@agentkit/core/internal'

/** Random whole numbers of 32 bits. */
export type Random = () => number

/**
 * The generator xoshiro128**, seeded by a text, so that each figure of a report has a sequence of its own: a further scorer
 * changes no other figure.
 *
 * Source: Blackman, Vigna: Scrambled linear pseudorandom number generators, ACM TOMS 47 (2021),
 * https://prng.di.unimi.it/xoshiro128starstar.c
 */
export function randomOf(...seed: readonly (string | number)[]): Random {
  const hash = sha256(JSON.stringify(seed))
  const word = (index: number): number => Number.parseInt(hash.slice(index * 8, index * 8 + 8), 16) | 0
  let [a, b, c, d] = [word(0), word(1), word(2), word(3) | 1] // not all zero
  return () => {
    const five = Math.imul(b, 5)
    const result = Math.imul((five << 7) | (five >>> 25), 9)
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = (d << 11) | (d >>> 21)
    return result >>> 0
  }
}
