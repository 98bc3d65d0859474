// The package import `#limit-watcher`: the thread that watches a process of `createParsePool`.
import { workerData } from 'node:worker_threads'
import { writeExitReport } from './exit-report.ts'
import type { ExceededLimit } from './parse-limits.ts'
import { at, cpuMicros, noFile, type WatcherData, wallMicros } from './watch-limits.ts'

const everyMs = 20
const { current, numbers, memoryMb, wallPerCpu } = workerData as WatcherData // by `watchLimits`

for (;;) {
  Atomics.wait(current, 0, noFile)
  // The second number never changes: this is a pause.
  Atomics.wait(current, 1, 0, everyMs)
  const id = Atomics.load(current, 0)
  const exceeded = exceededLimit()
  // Otherwise the numbers may belong to two files.
  if (id === noFile || exceeded === undefined || Atomics.load(current, 0) !== id) continue
  writeExitReport({ id, ...exceeded })
  process.kill(process.pid, 'SIGKILL')
}

function exceededLimit(): ExceededLimit | undefined {
  if (process.memoryUsage.rss() > memoryMb * 1e6) {
    return { limit: 'memory', most: memoryMb, before: numberOf('rssFrom') / 1e6 }
  }
  const most = numberOf('cpuMost')
  if (cpuMicros() - numberOf('cpuFrom') > most) return { limit: 'cpu', most: most / 1e6 }
  const mostWall = most * wallPerCpu
  const isLate = numberOf('isWaiting') === 0 && wallMicros() - numberOf('wallFrom') > mostWall
  return isLate ? { limit: 'wall', most: mostWall / 1e6 } : undefined
}

function numberOf(name: keyof typeof at): number {
  return numbers[at[name]] ?? 0
}
