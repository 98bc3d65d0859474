import type { EvalReport } from '../data/eval-report.ts'

/** The report as JSON, in pieces, as the text of a large one is longer than a text may be. */
export function* reportPieces(report: EvalReport): Generator<string> {
  const { results, ...rest } = report
  yield `${JSON.stringify(rest, null, 2).slice(0, -2)},\n  "results": [`
  for (const [index, result] of results.entries()) yield `${index === 0 ? '' : ','}\n    ${JSON.stringify(result)}`
  yield '\n  ]\n}\n'
}
