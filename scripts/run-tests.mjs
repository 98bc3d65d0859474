import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, runTool } from './toolchain.mjs'

/**
 * Runs vitest and prints `N passed, N failed, N skipped` last, whatever happened.
 *
 * @param {string[]} args vitest's own arguments: files, `-t name`, `--update`.
 * @returns {Promise<number | NodeJS.Signals>} Not 0 when anything failed and when nothing ran.
 */
export async function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), 'agentkit-tests-'))
  const file = join(folder, 'counts.json')
  try {
    const reporters = ['--reporter=default', `--reporter=${join(root, 'scripts', 'count-reporter.mjs')}`]
    const outcome = await runTool('vitest', ['run', ...reporters, ...args], { TEST_COUNTS: file })
    const counts = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { passed: 0, failed: 1, skipped: 0 }
    // Vitest fails for more than failed tests (a threshold, a reporter): the line must say so too.
    if (outcome !== 0 && counts.failed === 0 && counts.passed > 0) counts.failed = 1
    console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
    return outcome === 0 && (counts.failed > 0 || counts.passed === 0) ? 1 : outcome
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
