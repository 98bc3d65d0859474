import type { EvalReport, ScoreSummary } from '../data/eval-report.ts'
import { escapeMarkup } from './escape-markup.ts'
import { figure, milliseconds, pValue, signed } from './result-words.ts'

/** The tables of the variants and their comparisons, with a plot of each interval. */
export function overviewHtml({ variants, comparisons, repeats, seed, threshold }: EvalReport): string {
  const rows = Object.entries(variants).flatMap(([variant, { scores }]) =>
    Object.entries(scores).map(([scorer, summary]) => {
      const { mean, low, high, n } = summary
      const interval = n === 0 ? '–' : `${figure(low)} to ${figure(high)}`
      return row([escapeMarkup(variant), escapeMarkup(scorer), figure(mean), interval, `${n}`, scorePlot(summary)])
    }),
  )
  const usage = Object.entries(variants).map(
    ([variant, { cases, failed, usage: tokens, cost, scoring, durationMs }]) => {
      const { p50, p95 } = durationMs
      return row([
        escapeMarkup(variant),
        `${cases}`,
        `${failed}`,
        `${tokens.totalTokens ?? '–'}`,
        dollars(cost),
        dollars(scoring?.cost),
        milliseconds(p50),
        milliseconds(p95),
      ])
    },
  )
  return `<p>${repeats === 1 ? 'One run' : `${repeats} runs`} of each case, threshold ${threshold}, seed ${seed}.</p>
${tableOf(['Variant', 'Scorer', 'Mean', '95 % interval', 'Cases', '0 to 1'], rows)}
${tableOf(['Variant', 'Cases', 'Failed runs', 'Tokens', 'Cost', 'Scoring', 'p50', 'p95'], usage)}
${comparisonsHtml(comparisons)}`
}

function comparisonsHtml(comparisons: EvalReport['comparisons']): string {
  if (comparisons.length === 0) return ''
  const rows = comparisons.map(
    ({ a, b, scorer, difference, low, high, p, pAdjusted, n, wins, ties, losses, verdict }) =>
      row([
        escapeMarkup(`${b} against ${a}`),
        escapeMarkup(scorer),
        signed(difference),
        n === 0 ? '–' : `${signed(low)} to ${signed(high)}`,
        pValue(p),
        pValue(pAdjusted),
        `${wins} / ${ties} / ${losses}`,
        n === 0 ? '' : plot({ mean: difference, low, high }, -1, 1),
        escapeMarkup(verdict),
      ]),
  )
  const head = [
    'Comparison',
    'Scorer',
    'Difference',
    '95 % interval',
    'p',
    'p (Holm)',
    'Won / tied / lost',
    '−1 to 1',
    'Verdict',
  ]
  return `<h2>Comparisons</h2>\n${tableOf(head, rows)}`
}

function scorePlot(summary: ScoreSummary): string {
  return summary.n === 0 ? '' : plot(summary, 0, 1)
}

/** A mean and its interval on a line. */
function plot({ mean, low, high }: Pick<ScoreSummary, 'mean' | 'low' | 'high'>, from: number, to: number): string {
  const x = (value: number): string => (4 + (192 * (value - from)) / (to - from)).toFixed(1)
  const zero = from < 0 ? `<line x1="${x(0)}" x2="${x(0)}" y1="2" y2="18" stroke="currentColor" opacity=".4"/>` : ''
  return `<svg width="200" height="20" role="img" aria-label="${figure(low)} to ${figure(high)}"><line x1="4" x2="196" y1="10" y2="10" stroke="currentColor" opacity=".2"/>${zero}<line x1="${x(low)}" x2="${x(high)}" y1="10" y2="10" stroke="#2166ac" stroke-width="3"/><circle cx="${x(mean)}" cy="10" r="4" fill="#2166ac"/></svg>`
}

function dollars(cost: { usd: number } | undefined): string {
  return cost === undefined ? '–' : `${Number(cost.usd.toPrecision(3))} USD`
}

function tableOf(head: readonly string[], rows: readonly string[]): string {
  return `<table><thead><tr>${head.map((name) => `<th>${name}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`
}

function row(cells: readonly string[]): string {
  return `<tr>${cells.map((cell) => `<td class="figure">${cell}</td>`).join('')}</tr>`
}
