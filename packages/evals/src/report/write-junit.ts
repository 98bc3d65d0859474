import type { EvalReport } from '../data/eval-report.ts'
import type { StoredResult } from '../data/stored-result.ts'
import { writePieces } from '../store/write-pieces.ts'
import { escapeMarkup } from './escape-markup.ts'
import { caseName, problemsOf } from './result-words.ts'

/**
 * Writes the results as JUnit XML, which CI systems show: a suite per variant, a test per run. A score below the threshold
 * is a failure, a run without an answer or a missing score an error.
 *
 * Source: https://github.com/testmoapp/junitxml
 *
 * @throws AgentKitError `storage` when the file cannot be written
 */
export function writeJunit(path: string, report: EvalReport, results: readonly StoredResult[]): Promise<void> {
  return writePieces(path, junitPieces(report, results))
}

function* junitPieces(
  { name, threshold, repeats, variants }: EvalReport,
  results: readonly StoredResult[],
): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n'
  yield `<testsuites name="${escapeMarkup(name)}" ${counts(results)}>\n`
  for (const variant of Object.keys(variants)) {
    const own = results.filter((result) => result.variant === variant)
    yield `  <testsuite name="${escapeMarkup(variant)}" ${counts(own)}>\n`
    for (const result of own) {
      const test = `name="${escapeMarkup(caseName(result, repeats))}" classname="${escapeMarkup(`${name}.${variant}`)}"`
      const time = seconds([result])
      if (result.passed) yield `    <testcase ${test} time="${time}"/>\n`
      else {
        const problems = problemsOf(result, threshold)
        const element = isError(result) ? 'error' : 'failure'
        const message = escapeMarkup(problems.join('; '))
        yield `    <testcase ${test} time="${time}"><${element} message="${message}">${escapeMarkup(result.text)}</${element}></testcase>\n`
      }
    }
    yield '  </testsuite>\n'
  }
  yield '</testsuites>\n'
}

function counts(results: readonly StoredResult[]): string {
  const errors = results.filter(isError).length
  const failures = results.filter(({ passed }) => !passed).length - errors
  return `tests="${results.length}" failures="${failures}" errors="${errors}" time="${seconds(results)}"`
}

function isError({ error, missing }: StoredResult): boolean {
  return error !== undefined || missing !== undefined
}

function seconds(results: readonly StoredResult[]): string {
  return (results.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1_000).toFixed(3)
}
