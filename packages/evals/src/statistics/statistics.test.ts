import { describe, expect, it } from 'vitest'
import { detectableDifference } from './detectable-difference.ts'
import { bootstrapInterval, meanOf, percentile, wilsonInterval } from './intervals.ts'
import { randomOf } from './random.ts'
import { holm, signFlipTest } from './sign-flip-test.ts'

describe('the interval of a proportion', () => {
  // Figures of scipy.stats.binomtest(…).proportion_ci(method="wilson"), SciPy 1.17.1.
  it.each([
    [8, 10, 0.490162, 0.943318],
    [0, 10, 0, 0.277533],
    [10, 10, 0.722467, 1],
    [50, 100, 0.403832, 0.596168],
    [1, 3, 0.061492, 0.792345],
  ])('of %i among %i is that of Wilson', (successes, n, low, high) => {
    const interval = wilsonInterval(successes, n)
    expect(interval.low).toBeCloseTo(low, 5)
    expect(interval.high).toBeCloseTo(high, 5)
  })
})

describe('the bootstrap interval of a mean', () => {
  it('equals the interval of all resamples, where these can be counted', () => {
    // The means of the 4^4 resamples of these values: 2.5 % lie below the low end, and 2.5 % above the high one.
    const values = [0, 0.2, 0.5, 1]
    const means: number[] = []
    for (const a of values)
      for (const b of values) for (const c of values) for (const d of values) means.push((a + b + c + d) / 4)
    means.sort((one, other) => one - other)
    const { low, high } = bootstrapInterval(values, [1])
    expect(Math.abs(low - (means[6] ?? 0))).toBeLessThan(0.051) // the next mean is 0.05 apart
    expect(Math.abs(high - (means[249] ?? 0))).toBeLessThan(0.051)
  })

  it('is the same for the same seed, and hardly differs for another one', () => {
    const values = Array.from({ length: 60 }, (_, index) => (index % 7) / 6)
    const one = bootstrapInterval(values, [1, 'a'])
    expect(bootstrapInterval(values, [1, 'a'])).toEqual(one)
    const other = bootstrapInterval(values, [2, 'a'])
    expect(other).not.toEqual(one)
    expect(other.low).toBeCloseTo(one.low, 2)
  })

  it('of equal values is the value', () => {
    expect(bootstrapInterval([0.3, 0.3], [1])).toEqual({ low: 0.3, high: 0.3 })
  })

  it('contains the mean, however the sums are rounded', () => {
    const scores = Array.from({ length: 10 }, (_, index) => (index + 1) / 11)
    for (const score of scores) {
      for (const values of [Array(25).fill(score), [...Array(24).fill(score), score + Number.EPSILON]]) {
        const mean = meanOf(values)
        const { low, high } = bootstrapInterval(values, [1])
        expect([score, low <= mean, mean <= high]).toEqual([score, true, true])
      }
    }
  })
})

describe('95 % intervals', () => {
  it('of proportions contain the true one in 93 to 97 % of evals, by the binomial distribution', () => {
    const rates = [0.5, 0.6, 0.7, 0.75, 0.8, 0.9]
    const coverage = meanOf(rates.map((rate) => wilsonCoverage(60, rate)))
    expect(coverage).toBeGreaterThan(0.93)
    expect(coverage).toBeLessThan(0.97)
  })

  // More by AGENTKIT_WALKS=2000.
  const evals = Number(process.env.AGENTKIT_WALKS ?? 300)
  it(`of means contain the true one in about 95 % of ${evals} simulated evals`, () => {
    const random = randomOf('coverage')
    const uniformSquares = (): number[] => Array.from({ length: 60 }, () => (random() / 2 ** 32) ** 2)
    const covering = Array.from({ length: evals }, (_, index) => bootstrapInterval(uniformSquares(), [index])).filter(
      ({ low, high }) => low <= 1 / 3 && 1 / 3 <= high,
    )
    expect(covering.length / evals).toBeGreaterThan(0.93)
    expect(covering.length / evals).toBeLessThan(0.97)
  }, 120_000)
})

function wilsonCoverage(n: number, rate: number): number {
  let probability = (1 - rate) ** n
  let coverage = 0
  for (let successes = 0; successes <= n; successes++) {
    const { low, high } = wilsonInterval(successes, n)
    if (low <= rate && rate <= high) coverage += probability
    probability *= ((n - successes) / (successes + 1)) * (rate / (1 - rate))
  }
  return coverage
}

describe('the sign-flip test', () => {
  it('counts all flips of up to 20 differences', () => {
    expect(signFlipTest(Array(10).fill(1), [1])).toBe(2 / 2 ** 10)
    expect(signFlipTest([1, -1, 0, 0, 0, 0, 0, 0, 0, 0], [1])).toBe(1)
    expect(signFlipTest([0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [1])).toBe(1)
    // Darwin's plants: Fisher counts 863 of 32,768 one-sided, 1,726 two-sided.
    const plants = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    expect(signFlipTest(plants, [1])).toBe(1_726 / 32_768)
  })

  it('equals a count by definition', () => {
    const random = randomOf('pairs')
    const differences = Array.from({ length: 12 }, () => ((random() % 21) - 9) / 10)
    const observed = Math.abs(differences.reduce((sum, one) => sum + one, 0))
    let extreme = 0
    for (let flip = 0; flip < 2 ** 12; flip++) {
      const sum = differences.reduce((total, one, index) => total + (flip & (1 << index) ? -one : one), 0)
      if (Math.abs(sum) >= observed - 1e-9) extreme++
    }
    expect(signFlipTest(differences, [1])).toBe(extreme / 2 ** 12)
  })

  it('draws flips of more, near the figure of the binomial distribution, and never gives 0', () => {
    // 30 differences of 1 and -1, of which 21 are 1: two-sided sign test, 2 P(X ≥ 21) = 0.042774.
    const differences = Array.from({ length: 30 }, (_, index) => (index < 21 ? 1 : -1))
    expect(signFlipTest(differences, [1])).toBeCloseTo(0.042774, 2)
    expect(signFlipTest(differences, [1])).toBe(signFlipTest(differences, [1]))
    expect(signFlipTest(Array(60).fill(1), [1])).toBe(1 / 100_001)
  })

  it('raises a false alarm in fewer than 5 % of evals of equal variants', () => {
    const random = randomOf('alarms')
    let alarms = 0
    const evals = 2_000
    for (let index = 0; index < evals; index++) {
      const differences = Array.from({ length: 40 }, () => (random() % 3) - 1).map((one, place) =>
        place < 18 ? one : 0,
      )
      if (signFlipTest(differences, [index]) < 0.05) alarms++
    }
    expect(alarms / evals).toBeLessThan(0.05)
  }, 120_000)
})

it('Holm multiplies the smallest p by the number of tests, and the others by fewer', () => {
  // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
  expect(holm([0.01, 0.04, 0.03, 0.005]).map((p) => Number(p.toFixed(6)))).toEqual([0.03, 0.06, 0.06, 0.02])
  expect(holm([0.6, 0.7])).toEqual([1, 1])
  expect(holm([])).toEqual([])
})

it('the detectable difference shrinks with cases and grows with tests', () => {
  const differences = Array.from({ length: 60 }, (_, index) => (index % 3) - 1)
  // (1.96 + 0.84) × s / √60
  expect(detectableDifference(differences, 1)).toBeCloseTo(0.2978, 3)
  expect(detectableDifference(differences, 3)).toBeGreaterThan(detectableDifference(differences, 1))
  // The test needs 6 cases: P(Bin(60, 0.128574) ≥ 6) = 0.8.
  expect(detectableDifference(Array(60).fill(0), 1)).toBeCloseTo(0.128_574, 5)
})

it('a percentile is a value that occurred', () => {
  expect(percentile([4, 1, 3, 2], 0.5)).toBe(2)
  expect(percentile([4, 1, 3, 2], 0.95)).toBe(4)
  expect(meanOf([1, 2, 3])).toBe(2)
})

it.each([
  { n: 30, wins: 1, losses: 1 },
  { n: 30, wins: 0, losses: 0 },
  { n: 60, wins: 2, losses: 1 },
  { n: 12, wins: 2, losses: 2 },
  { n: 20, wins: 4, losses: 4 },
])(
  'the detectable difference of $n cases with $wins wins and $losses losses is found in about 80 % of evals',
  (plan) => {
    const { n, wins, losses } = plan
    const seen = detectableDifference(
      [...Array(wins).fill(1), ...Array(losses).fill(-1), ...Array(n - wins - losses).fill(0)],
      1,
    )
    const differing = Math.max((wins + losses) / n, seen)
    const random = randomOf('power', JSON.stringify(plan))
    const evals = 400
    let found = 0
    for (let index = 0; index < evals; index++) {
      const differences = Array.from({ length: n }, () => {
        const chance = random() / 2 ** 32
        return chance < (differing + seen) / 2 ? 1 : chance < differing ? -1 : 0
      })
      if (signFlipTest(differences, [index]) < 0.05) found++
    }
    expect(found / evals).toBeGreaterThan(0.73)
  },
)
