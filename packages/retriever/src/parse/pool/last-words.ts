import { writeSync } from 'node:fs'
import type { ExceededLimit } from './parse-limits.ts'

/** What a process reports about its current file just before it exits. */
export type LastWords = { id: number } & (ExceededLimit | { error: string })

const mark = 'agentkit-parse-end '
const stderr = 2

/** Writes synchronously: the event loop does not run afterwards. */
export function writeLastWords(words: LastWords): void {
  try {
    writeSync(stderr, `\n${mark}${JSON.stringify(words)}\n`)
  } catch {
    // The parent process has exited.
  }
}

/** The last words in the stderr of a process. */
export function readLastWords(written: string): LastWords | undefined {
  const line = written.split('\n').findLast((one) => one.startsWith(mark))
  if (line === undefined) return undefined
  try {
    return JSON.parse(line.slice(mark.length)) as LastWords // written by `writeLastWords`
  } catch {
    return undefined
  }
}
