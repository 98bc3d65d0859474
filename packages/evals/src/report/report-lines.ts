import { firstChars } from '@agentkit/core/internal'
import type { EvalReport, VariantReport } from '../data/eval-report.ts'
import { caseName, figure, milliseconds, problemsOf, pValue, signed } from './result-words.ts'

/** The results that are listed, and the length of a line of one. */
const mostListed = 20
const mostChars = 300

/** A text as a terminal shows it: the printed characters, and the number of columns that they take. */
export type Look = {
  shown(text: string): string
  widthOf(text: string): number
  /** How many columns the terminal has; absent where the report goes elsewhere. */
  columns?: number | undefined
}

const plain: Look = { shown: (text) => text, widthOf: (text) => text.length }

/** The report as lines for a terminal. They may have any characters of answers: `look` makes them safe to print. */
export function reportLines(report: EvalReport, look: Look = plain): string[] {
  const variants = Object.entries(report.variants)
  return [
    ...table(
      [
        ['variant', 'scorer', 'mean', '95 % interval', 'n'],
        ...variants.flatMap(([variant, { scores }]) =>
          Object.entries(scores).map(([scorer, { mean, low, high, n }]) => {
            return [variant, scorer, figure(mean), n === 0 ? '–' : `${figure(low)} to ${figure(high)}`, `${n}`]
          }),
        ),
      ],
      look,
    ),
    '',
    ...variants.map(([variant, one]) => look.shown(usageLine(variant, one))),
    ...comparisonLines(report, look),
    ...failureLines(report).map(look.shown),
  ]
}

function usageLine(variant: string, { cases, failed, usage, cost, scoring, durationMs }: VariantReport): string {
  const parts = [
    `${cases} ${cases === 1 ? 'case' : 'cases'}, ${failed} failed ${failed === 1 ? 'run' : 'runs'}`,
    usage.totalTokens === undefined ? '' : `${usage.totalTokens.toLocaleString('en')} tokens`,
    costWords(cost),
    scoring ? `scoring ${costWords(scoring.cost) || `${scoring.usage.totalTokens ?? '?'} tokens`}` : '',
    `p50 ${milliseconds(durationMs.p50)}, p95 ${milliseconds(durationMs.p95)}`,
  ]
  return `${variant}: ${parts.filter((part) => part !== '').join(', ')}`
}

function costWords(cost: VariantReport['cost']): string {
  return cost === undefined ? '' : `${Number(cost.usd.toPrecision(3))} USD${cost.estimated ? ' (estimated)' : ''}`
}

function comparisonLines({ comparisons }: EvalReport, look: Look): string[] {
  if (comparisons.length === 0) return []
  const rows = comparisons.map(({ a, b, scorer, difference, low, high, pAdjusted, wins, ties, losses, n, verdict }) => {
    const interval = n === 0 ? '–' : `${signed(low)} to ${signed(high)}`
    return [
      `${b} against ${a}`,
      scorer,
      signed(difference),
      interval,
      pValue(pAdjusted),
      `${wins}/${ties}/${losses}`,
      verdict,
    ]
  })
  const head = ['comparison', 'scorer', 'difference', '95 % interval', 'p (Holm)', 'won/tied/lost', 'verdict']
  return ['', ...table([head, ...rows], look)]
}

function failureLines({ results, threshold, repeats }: EvalReport): string[] {
  const failures = results.filter(({ passed }) => !passed)
  if (failures.length === 0) return []
  const listed = failures.slice(0, mostListed).map((result) => {
    // The reasons of a judge, and the difference to a recorded request, have several lines.
    const problems = problemsOf(result, threshold).join('; ').replaceAll(/\s+/g, ' ')
    const line = `  ${result.variant}, case ${caseName(result, repeats)}: ${problems}`
    return line.length > mostChars ? `${firstChars(line, mostChars - 1)}…` : line
  })
  const more = failures.length > mostListed ? [`  and ${failures.length - mostListed} more`] : []
  return ['', `${failures.length} of ${results.length} runs did not pass:`, ...listed, ...more]
}

/** In columns where they fit, else each row as a list of its cells. */
function table(
  texts: readonly (readonly string[])[],
  { shown, widthOf, columns = Number.POSITIVE_INFINITY }: Look,
): string[] {
  const rows = texts.map((row) => row.map(shown))
  const widths: number[] = []
  for (const row of rows)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, widthOf(cell))
  const [head = [], ...others] = rows
  if (widths.reduce((sum, width) => sum + width + 2, -2) > columns) {
    return others.flatMap((row, index) => {
      const cells = row.map((cell, column) => `${column === 0 ? '' : '  '}${head[column]}: ${cell}`)
      return index === 0 ? cells : ['', ...cells]
    })
  }
  return rows.map((row) =>
    row
      .map((cell, index) => cell + ' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(cell))))
      .join('  ')
      .trimEnd(),
  )
}
