import { meanOf } from './intervals.ts'

/** The quantile of the normal distribution for a power of 80 %. */
const zPower = 0.8416212335729143

/** The probability with which the test finds the difference. */
const power = 0.8

/**
 * The difference of means that a test at 5 % finds with a probability of 80 %, by the spread of these paired
 * differences. It is at least the one with which as many cases differ as the test needs, where few of these do.
 *
 * Source: the normal approximation for paired means, Cohen: Statistical Power Analysis for the Behavioral Sciences (1988);
 * for evals Miller: Adding Error Bars to Evals (2024), https://arxiv.org/abs/2411.00640, section 5.
 *
 * @param tests the number of tests that share the 5 %
 */
export function detectableDifference(differences: readonly number[], tests: number): number {
  const n = differences.length
  const mean = meanOf(differences)
  const variance = differences.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1)
  const bySpread = (normalQuantile(1 - 0.025 / tests) + zPower) * Math.sqrt(variance / n)
  // All of k differing cases in one direction have p = 2 / 2^k.
  const needed = Math.ceil(Math.log2((2 * tests) / 0.05))
  const sizes = differences.filter((value) => value !== 0).map(Math.abs)
  const byCount = leastShare(needed, n) * (sizes.length === 0 ? 1 : meanOf(sizes))
  return Math.min(1, Math.max(bySpread, byCount))
}

/** The least share of differing cases with which at least `needed` of `n` differ with a probability of 80 %. */
function leastShare(needed: number, n: number): number {
  if (needed > n) return 1
  let low = 0
  let high = 1
  while (high - low > 1e-9) {
    const share = (low + high) / 2
    if (chanceOfFewer(needed, n, share) > 1 - power) low = share
    else high = share
  }
  return high
}

/** By the binomial distribution. The terms are sums of logarithms, as powers of many cases are too small for a number. */
function chanceOfFewer(count: number, n: number, share: number): number {
  const odds = Math.log(share / (1 - share))
  let term = n * Math.log(1 - share)
  let chance = 0
  for (let differing = 0; differing < count; differing++) {
    chance += Math.exp(term)
    term += Math.log((n - differing) / (differing + 1)) + odds
  }
  return chance
}

/**
 * The quantile of the normal distribution, for shares above 0.5, to 4.5e-4.
 * Source: Abramowitz, Stegun: Handbook of Mathematical Functions (1964), 26.2.23.
 */
function normalQuantile(share: number): number {
  const t = Math.sqrt(-2 * Math.log(1 - share))
  const numerator = 2.515517 + 0.802853 * t + 0.010328 * t ** 2
  return t - numerator / (1 + 1.432788 * t + 0.189269 * t ** 2 + 0.001308 * t ** 3)
}
