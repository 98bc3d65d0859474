import { meanOf } from './intervals.ts'

/** The quantile of the normal distribution for a power of 80 %. */
const zPower = 0.8416212335729143

/**
 * The difference of means that a test at 5 % finds with a probability of 80 %, by the spread of these paired
 * differences. If all differences are equal, it is the share of the least number of differing cases that the test
 * needs.
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
  // All of k differing cases in one direction have p = 2 / 2^k.
  const needed = Math.ceil(Math.log2((2 * tests) / 0.05))
  if (variance === 0) return Math.min(1, needed / n)
  return Math.min(1, (normalQuantile(1 - 0.025 / tests) + zPower) * Math.sqrt(variance / n))
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
