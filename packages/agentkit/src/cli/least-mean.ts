import { nearestWord } from '@agentkit/core/internal'
import type { EvaluateOptions } from '@agentkit/evals/internal'
import { UsageError } from './common/usage-error.ts'

/** A scorer, and the mean that it must have. */
export type LeastMean = { scorer: string; mean: number }

/** A parser of `--fail-under`. @throws UsageError */
export function leastMean(text: string, earlier: readonly LeastMean[] = []): LeastMean[] {
  const place = text.lastIndexOf('=')
  const [scorer, figure] = [text.slice(0, place), text.slice(place + 1)]
  const mean = Number(figure)
  if (place < 1 || figure.trim() === '' || !(mean >= 0 && mean <= 1)) {
    throw new UsageError(
      `--fail-under is a scorer and its least mean from 0 to 1, such as exact=0.9, not ${JSON.stringify(text.slice(0, 60))}.`,
    )
  }
  return [...earlier, { scorer, mean }]
}

/** @throws UsageError for a scorer that the eval does not have, with the most similar one */
export function checkScorers(least: readonly LeastMean[], { scorers }: EvaluateOptions): void {
  const names = Array.isArray(scorers) ? scorers.map((scorer) => String(scorer?.name)) : []
  for (const { scorer } of least) {
    if (names.includes(scorer)) continue
    const nearest = nearestWord(scorer, names)
    const hint = nearest === undefined ? `It has ${names.join(', ')}.` : `Did you mean "${nearest}"?`
    throw new UsageError(`The eval has no scorer "${scorer.slice(0, 60)}". ${hint}`)
  }
}
