import { writeFileSync } from 'node:fs'

/** A vitest reporter that writes how many tests passed, failed and were skipped into the file that TEST_COUNTS names. */
// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by its default export.
export default class CountReporter {
  onTestRunEnd(files, errorsOutsideTests) {
    const counts = { passed: 0, failed: errorsOutsideTests.length, skipped: 0 }
    for (const file of files) {
      const states = [...file.children.allTests()].map((test) => test.result().state)
      for (const state of states) counts[state === 'pending' ? 'failed' : state] += 1
      // A file that does not load, or whose set-up throws, fails without a failed test in it.
      if (file.state() === 'failed' && !states.includes('failed')) counts.failed += 1
    }
    writeFileSync(process.env.TEST_COUNTS, JSON.stringify(counts))
  }
}
