import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, runTool } from './toolchain.mjs'

/**
 * Runs vitest and always prints `N passed, N failed, N skipped` last.
 *
 * @param {string[]} args vitest's own arguments: files, `-t name`, `--update`.
 * @returns {Promise<number | NodeJS.Signals>} Not 0 if anything failed or nothing ran.
 */
export async function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), 'agentkit-tests-'))
  const file = join(folder, 'counts.json')
  try {
    const reporters = ['--reporter=default', `--reporter=${join(root, 'scripts', 'count-reporter.mjs')}`]
    const outcome = await runTool('vitest', ['run', ...reporters, ...args], { TEST_COUNTS: file })
    const counts = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { passed: 0, failed: 1, skipped: 0 }
    // Vitest also fails for other reasons (a threshold, a reporter), which the line must show.
    if (outcome !== 0 && counts.failed === 0 && counts.passed > 0) counts.failed = 1
    console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
    return outcome === 0 && (counts.failed > 0 || counts.passed === 0) ? 1 : outcome
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
