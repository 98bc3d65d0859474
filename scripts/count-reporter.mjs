import { writeFileSync } from 'node:fs'

/**
 * A vitest reporter that writes into the file that TEST_COUNTS names, by test file, how many tests passed, failed and were
 * skipped, with the names of those that failed.
 */
// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by its default export.
export default class CountReporter {
  onTestRunEnd(modules, errorsOutsideTests) {
    const files = {}
    for (const module of modules) {
      const counts = { passed: 0, failed: 0, skipped: 0, failures: [] }
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        const failed = state === 'failed' || state === 'pending'
        counts[failed ? 'failed' : state] += 1
        if (failed) counts.failures.push(test.fullName)
      }
      // A file that does not load, or whose set-up throws, fails without a failed test in it.
      if (module.state() === 'failed' && counts.failed === 0) {
        counts.failed = 1
        counts.failures.push('the file itself')
      }
      files[module.relativeModuleId] = counts
    }
    writeFileSync(process.env.TEST_COUNTS, JSON.stringify({ files, errorsOutsideTests: errorsOutsideTests.length }))
  }
}
