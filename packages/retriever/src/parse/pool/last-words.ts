import { writeSync } from 'node:fs'
import type { ExceededLimit } from './parse-limits.ts'

/** What a process reports about the file that it was reading just before it ends. */
export type LastWords = { id: number } & (ExceededLimit | { error: string })

const mark = 'agentkit-parse-end '
const stderr = 2

/** Writes them at once: no event loop runs afterwards. */
export function writeLastWords(words: LastWords): void {
  try {
    writeSync(stderr, `\n${mark}${JSON.stringify(words)}\n`)
  } catch {
    // The parent process is gone.
  }
}

/** The last words in what a process wrote to stderr. */
export function readLastWords(written: string): LastWords | undefined {
  const line = written.split('\n').findLast((one) => one.startsWith(mark))
  if (line === undefined) return undefined
  try {
    return JSON.parse(line.slice(mark.length)) as LastWords // `writeLastWords` wrote it
  } catch {
    return undefined
  }
}
