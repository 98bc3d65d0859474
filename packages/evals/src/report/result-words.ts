import type { CaseResult } from '../data/eval-report.ts'

/** Why a result has not passed: its error, and each score that is missing or below the threshold. */
export function problemsOf({ error, scores, reasons, missing }: CaseResult, threshold: number): string[] {
  if (error) return [`${error.code}: ${error.message}`]
  const low = Object.entries(scores)
    .filter(([, score]) => score < threshold)
    .map(
      ([scorer, score]) => `${scorer} ${figure(score)}${reasons?.[scorer] === undefined ? '' : `: ${reasons[scorer]}`}`,
    )
  const absent = Object.entries(missing ?? {}).map(([scorer, why]) => `${scorer} has no score: ${why}`)
  return [...low, ...absent]
}

/** A score, a mean or a p-value with three digits; "–" where there is none. */
export function figure(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? '–' : value.toFixed(3)
}

export function pValue(value: number | undefined): string {
  return value !== undefined && value < 0.001 ? '< 0.001' : figure(value)
}

export function signed(value: number): string {
  return value > 0 ? `+${figure(value)}` : figure(value)
}

export function caseName({ case: id, repeat }: Pick<CaseResult, 'case' | 'repeat'>, repeats: number): string {
  return repeats === 1 ? id : `${id} #${repeat}`
}

export function milliseconds(value: number): string {
  return value < 1_000 ? `${value} ms` : `${(value / 1_000).toFixed(1)} s`
}
