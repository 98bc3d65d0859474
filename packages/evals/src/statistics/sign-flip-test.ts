import { randomOf } from './random.ts'

/** The most differing cases for which all flips are counted; for more, flips are drawn at random. */
const mostExact = 20
const mostDraws = 100_000
/** For more than 20,000 differences fewer flips are drawn, so that the test takes seconds. */
const leastDraws = 10_000
const mostSigns = 2_000_000_000

/** Sums that differ by less are equal: they were added in another order. */
const tolerance = 1e-9

/**
 * The two-sided p-value of paired differences by a permutation test: how likely a mean at least as far from 0 is, where
 * each difference could as well have the opposite sign. Differences of 0 have no sign, and change nothing.
 *
 * With up to 20 other differences all flips are counted, otherwise 100,000 are drawn, the observed one counted as one of
 * them, so that p is never 0.
 *
 * Sources: Fisher: The Design of Experiments (1935), section 21; Good: Permutation, Parametric, and Bootstrap Tests of
 * Hypotheses (2005); for the count of draws Phipson, Smyth: Permutation p-values should never be zero (2010).
 *
 * @example
 * signFlipTest([1, 1, 1, 1, 1, 1, 1, 1, 1, 1], [1]) // 2 / 2 ** 10
 */
export function signFlipTest(differences: readonly number[], seed: readonly (string | number)[]): number {
  const sizes = Float64Array.from(differences.filter((difference) => difference !== 0).map(Math.abs))
  if (sizes.length === 0) return 1
  const observed = Math.abs(differences.reduce((sum, difference) => sum + difference, 0)) - tolerance
  return sizes.length <= mostExact ? exact(sizes, observed) : drawn(sizes, observed, seed)
}

/** Each flip differs from the one before in one sign, in the order of the Gray code. */
function exact(sizes: Float64Array, observed: number): number {
  const flips = 2 ** sizes.length
  const signs = new Int8Array(sizes.length).fill(1)
  let sum = sizes.reduce((total, size) => total + size, 0)
  let extreme = Math.abs(sum) >= observed ? 1 : 0
  for (let flip = 1; flip < flips; flip++) {
    const index = 31 - Math.clz32(flip & -flip)
    const sign = -(signs[index] as number)
    signs[index] = sign
    sum += 2 * sign * (sizes[index] as number)
    if (Math.abs(sum) >= observed) extreme++
  }
  return extreme / flips
}

function drawn(sizes: Float64Array, observed: number, seed: readonly (string | number)[]): number {
  const random = randomOf('sign-flip', ...seed)
  const draws = Math.max(leastDraws, Math.min(mostDraws, Math.floor(mostSigns / sizes.length)))
  let extreme = 0
  for (let draw = 0; draw < draws; draw++) {
    let sum = 0
    let bits = 0
    for (let index = 0; index < sizes.length; index++) {
      // One number has the signs of 32 differences.
      if ((index & 31) === 0) bits = random()
      const size = sizes[index] as number
      sum += bits & 1 ? size : -size
      bits >>>= 1
    }
    if (Math.abs(sum) >= observed) extreme++
  }
  return (extreme + 1) / (draws + 1)
}

/**
 * Adjusts p-values for their number, so that the chance of any false alarm stays the chance of a single test.
 *
 * Source: Holm: A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979).
 *
 * @returns in the given order
 * @example
 * holm([0.01, 0.04, 0.03]) // [0.03, 0.06, 0.06]
 */
export function holm(ps: readonly number[]): number[] {
  const order = ps.map((p, index) => ({ p, index })).sort((one, other) => one.p - other.p)
  const adjusted: number[] = []
  let least = 0
  for (const [rank, { p, index }] of order.entries()) {
    least = Math.min(1, Math.max(least, (ps.length - rank) * p))
    adjusted[index] = least
  }
  return adjusted
}
