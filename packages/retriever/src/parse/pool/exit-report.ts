import { writeSync } from 'node:fs'
import type { ExceededLimit } from './parse-limits.ts'

/** What a process reports about its current file just before it exits. */
export type ExitReport = { id: number } & (ExceededLimit | { error: string })

const mark = 'agentkit-parse-end '
const stderr = 2

/** Writes synchronously: the event loop does not run afterwards. */
export function writeExitReport(report: ExitReport): void {
  try {
    writeSync(stderr, `\n${mark}${JSON.stringify(report)}\n`)
  } catch {
    // The parent process has exited.
  }
}

/** The report in the stderr of a process. */
export function readExitReport(written: string): ExitReport | undefined {
  const line = written.split('\n').findLast((one) => one.startsWith(mark))
  if (line === undefined) return undefined
  try {
    return JSON.parse(line.slice(mark.length)) as ExitReport // written by `writeExitReport`
  } catch {
    return undefined
  }
}
