import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, runTool } from './toolchain.mjs'

/**
 * If a run has at least this number of files and at most this number of failed ones, they may have failed because the
 * machine was busy.
 */
const manyFiles = 10
const fewFailedFiles = 3

/**
 * Runs vitest and always prints `N passed, N failed, N skipped` last, and before it the name of each test that failed.
 *
 * Hundreds of our tests kill processes and wait for others, on machines that may be busy. So the few files that failed in
 * a run of many are run once more, alone, and their second outcome counts; what failed at first is named in any case.
 *
 * @param {string[]} args vitest's own arguments: files, `-t name`, `--update`. With files or names, nothing is run again.
 * @returns {Promise<number | NodeJS.Signals>} Not 0 if anything failed or nothing ran.
 */
export async function runTests(args) {
  const run = await vitest(args)
  const failedFiles = namesOf(run.files, ({ failed }) => failed > 0)
  const again =
    args.every((arg) => arg.startsWith('--')) &&
    run.errorsOutsideTests === 0 &&
    Object.keys(run.files).length >= manyFiles &&
    failedFiles.length > 0 &&
    failedFiles.length <= fewFailedFiles
  if (!again) return report(run)

  printFailures('Failed beside other files, and run once more, alone', run.files)
  const second = await vitest([...args, '--maxWorkers=1', ...failedFiles])
  // A file without a second outcome keeps its first one.
  const files = { ...run.files, ...second.files }
  return report({ ...second, files, outcome: namesOf(second.files).length === 0 ? run.outcome : second.outcome })
}

/** Runs vitest once: its exit code or signal, and what our reporter wrote, or nothing where vitest did not get so far. */
async function vitest(args) {
  const folder = mkdtempSync(join(tmpdir(), 'agentkit-tests-'))
  const file = join(folder, 'counts.json')
  try {
    const reporters = ['--reporter=default', `--reporter=${join(root, 'scripts', 'count-reporter.mjs')}`]
    const outcome = await runTool('vitest', ['run', ...reporters, ...args], { TEST_COUNTS: file })
    const counts = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { files: {}, errorsOutsideTests: 1 }
    return { outcome, ...counts }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function report({ outcome, files, errorsOutsideTests }) {
  const counts = { passed: 0, failed: errorsOutsideTests, skipped: 0 }
  for (const file of Object.values(files)) {
    for (const state of Object.keys(counts)) counts[state] += file[state]
  }
  // Vitest also fails for other reasons (a threshold, a reporter), which the line must show.
  if (outcome !== 0 && counts.failed === 0 && counts.passed > 0) counts.failed = 1
  printFailures('Failed', files)
  console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
  return outcome === 0 && (counts.failed > 0 || counts.passed === 0) ? 1 : outcome
}

function printFailures(title, files) {
  const lines = Object.entries(files).flatMap(([file, { failures }]) => failures.map((name) => `  ${file}: ${name}`))
  if (lines.length > 0) console.log(`\n${title}:\n${lines.join('\n')}`)
}

function namesOf(files, wanted = () => true) {
  return Object.keys(files).filter((name) => wanted(files[name]))
}
