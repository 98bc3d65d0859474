import { randomOf } from './random.ts'

export type Interval = { low: number; high: number }

/** The number of resamples of a bootstrap; of more than 20,000 values fewer are made, so that it takes seconds. */
const mostResamples = 10_000
const leastResamples = 1_000
const mostDrawn = 200_000_000

/** The quantile of the normal distribution for a two-sided 95 % interval. */
const z = 1.959963984540054

export function meanOf(values: readonly number[]): number {
  let sum = 0
  for (const value of values) sum += value
  return sum / values.length
}

/**
 * The 95 % interval of a proportion: of `successes` among `n`.
 *
 * Source: Wilson: Probable inference, the law of succession, and statistical inference, JASA 22 (1927);
 * recommended by Brown, Cai, DasGupta: Interval estimation for a binomial proportion, Statistical Science 16 (2001).
 *
 * @example
 * wilsonInterval(8, 10) // { low: 0.490, high: 0.943 }
 */
export function wilsonInterval(successes: number, n: number): Interval {
  const rate = successes / n
  const denominator = 1 + z ** 2 / n
  const centre = (rate + z ** 2 / (2 * n)) / denominator
  const half = (z / denominator) * Math.sqrt((rate * (1 - rate)) / n + z ** 2 / (4 * n ** 2))
  // Rounding must neither leave the range of a proportion nor exclude the rate itself.
  return { low: successes === 0 ? 0 : centre - half, high: successes === n ? 1 : centre + half }
}

/**
 * The 95 % percentile interval of a mean: 10,000 resamples of the values, each as many as there are, by a generator with
 * this seed; fewer for more than 20,000 values. For few values (below about 20) it is somewhat too narrow.
 *
 * Source: Efron, Tibshirani: An Introduction to the Bootstrap (1993), chapter 13.
 */
export function bootstrapInterval(values: readonly number[], seed: readonly (string | number)[]): Interval {
  const n = values.length
  const mean = meanOf(values)
  if (values.every((value) => value === values[0])) return { low: mean, high: mean }
  const random = randomOf('bootstrap', ...seed)
  const data = Float64Array.from(values)
  const scale = n / 2 ** 32
  const resamples = Math.max(leastResamples, Math.min(mostResamples, Math.floor(mostDrawn / n)))
  const means = new Float64Array(resamples)
  for (let resample = 0; resample < resamples; resample++) {
    let sum = 0
    for (let drawn = 0; drawn < n; drawn++) sum += data[Math.floor(random() * scale)] as number // below n
    means[resample] = sum / n
  }
  means.sort()
  // The sums of resamples are rounded differently from the sum of the values.
  return { low: Math.min(quantile(means, 0.025), mean), high: Math.max(quantile(means, 0.975), mean) }
}

/** The quantile of sorted values, between two of them by linear interpolation. */
function quantile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1)
  const below = Math.floor(place)
  const low = sorted[below] ?? Number.NaN
  const high = sorted[below + 1] ?? low
  return low + (high - low) * (place - below)
}

/** The value below which a share of the values lies, by nearest rank: a value that occurred. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}
