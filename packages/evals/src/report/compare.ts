import type { Comparison } from '../data/eval-report.ts'
import type { StoredResult } from '../data/stored-result.ts'
import { detectableDifference } from '../statistics/detectable-difference.ts'
import { bootstrapInterval, meanOf } from '../statistics/intervals.ts'
import { holm, signFlipTest } from '../statistics/sign-flip-test.ts'
import { caseMeans } from './summarize.ts'

/** Fewer cases get no p-value. */
const leastCases = 10

type Compared = Omit<Comparison, 'verdict'> & { differences: readonly number[] }

/**
 * Compares each two variants by each scorer, on the cases that have a score of both.
 * @param resultsOf by variant, in the order of the variants
 */
export function compareVariants(
  resultsOf: ReadonlyMap<string, readonly StoredResult[]>,
  { scorers, seed }: { scorers: readonly string[]; seed: number },
): Comparison[] {
  const names = [...resultsOf.keys()]
  const pairs = names.flatMap((a, index) => names.slice(index + 1).map((b) => ({ a, b })))
  const compared = pairs.flatMap(({ a, b }) => {
    return scorers.map((scorer) => {
      const [ofA, ofB] = [a, b].map((name) => caseMeans(resultsOf.get(name) ?? [], scorer))
      return compare({ a, b, scorer }, pairedDifferences(ofA, ofB), seed)
    })
  })
  const tested = compared.filter(({ p }) => p !== undefined)
  const adjusted = holm(tested.map(({ p = 1 }) => p))
  for (const [index, one] of tested.entries()) one.pAdjusted = adjusted[index] as number // as many
  return compared.map(({ differences, ...comparison }) => {
    return { ...comparison, verdict: verdictOf(comparison, differences, tested.length) }
  })
}

function pairedDifferences(ofA: ReadonlyMap<string, number> = new Map(), ofB = ofA): number[] {
  return [...ofA].flatMap(([id, score]) => {
    const other = ofB.get(id)
    if (other === undefined) return []
    const difference = other - score
    // Equal scores whose repeats were added in another order are no win.
    return [Math.abs(difference) < 1e-9 ? 0 : difference]
  })
}

function compare(
  names: Pick<Comparison, 'a' | 'b' | 'scorer'>,
  differences: readonly number[],
  seed: number,
): Compared {
  const seeds = [seed, names.a, names.b, names.scorer]
  const n = differences.length
  const count = (sign: number): number => differences.filter((value) => Math.sign(value) === sign).length
  return {
    ...names,
    difference: meanOf(differences), // NaN for none
    ...bootstrapInterval(differences, seeds),
    ...(n >= leastCases && { p: signFlipTest(differences, seeds) }),
    n,
    wins: count(1),
    ties: count(0),
    losses: count(-1),
    differences,
  }
}

function verdictOf(
  { pAdjusted, difference, n }: Omit<Comparison, 'verdict'>,
  differences: readonly number[],
  tests: number,
): string {
  if (pAdjusted === undefined) return `no difference found (n = ${n}; at least ${leastCases} cases are needed)`
  if (pAdjusted < 0.05) return difference > 0 ? 'better' : 'worse'
  const seen = detectableDifference(differences, tests)
  return `no difference found (n = ${n}; a difference of ${roundUp(seen)} would have been seen)`
}

/** Up, as a smaller difference would not have been seen. */
function roundUp(value: number): string {
  return (Math.ceil(value * 100 - 1e-9) / 100).toFixed(2)
}
