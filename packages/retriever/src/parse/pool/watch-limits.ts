import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { cpuMicrosOf, type ParseLimits } from './parse-limits.ts'

/** Ends this process when the file that it reads exceeds a limit. */
export interface LimitWatch {
  /** Starts the limits of a file. */
  begin(id: number): void
  /** Sets the size of the file, which determines its CPU time. */
  sized(bytes: number): void
  /** Pauses the limits while the process waits for its parent. */
  waitFor(others: Promise<void>): Promise<void>
  /** No file is being read. */
  rest(): void
}

/** Shared with the watcher thread. */
export type WatchedState = {
  /** The id of the current file, or `noFile`; then a zero that never changes. */
  current: Int32Array
  /** At the indexes of `at`. */
  numbers: Float64Array
}

export const noFile = -1
export const at = { cpuFrom: 0, cpuMost: 1, wallFrom: 2, isWaiting: 3, rssFrom: 4 } as const

const rssEveryMicros = 100_000

export type WatcherData = WatchedState & Pick<ParseLimits, 'memoryMb' | 'wallPerCpu'>

/** A parser blocks its own thread, so another one watches. Buffers count only in the memory of the process. */
export function watchLimits(limits: ParseLimits): LimitWatch {
  const current = new Int32Array(new SharedArrayBuffer(8)).fill(noFile, 0, 1)
  const numbers = new Float64Array(new SharedArrayBuffer(8 * Object.keys(at).length))
  const workerData: WatcherData = { current, numbers, memoryMb: limits.memoryMb, wallPerCpu: limits.wallPerCpu }
  // `#limit-watcher` of the package.json is that module.
  const watcher = new Worker(createRequire(import.meta.url).resolve('#limit-watcher'), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 3 },
  })
  watcher.unref()
  let rssAt = 0
  return {
    begin(id) {
      numbers[at.cpuFrom] = cpuMicros()
      numbers[at.cpuMost] = cpuMicrosOf(0, limits)
      const now = wallMicros()
      numbers[at.wallFrom] = now
      // Reading the memory usage takes longer than reading a small file.
      if (now - rssAt > rssEveryMicros) {
        numbers[at.rssFrom] = process.memoryUsage.rss()
        rssAt = now
      }
      Atomics.store(current, 0, id)
      Atomics.notify(current, 0)
    },
    sized(bytes) {
      numbers[at.cpuMost] = cpuMicrosOf(bytes, limits)
    },
    async waitFor(others) {
      const since = wallMicros()
      numbers[at.isWaiting] = 1
      try {
        await others
      } finally {
        numbers[at.wallFrom] = (numbers[at.wallFrom] ?? 0) + wallMicros() - since
        numbers[at.isWaiting] = 0
      }
    },
    rest() {
      Atomics.store(current, 0, noFile)
    },
  }
}

/** CPU time of the process, which is the same in each of its threads. */
export function cpuMicros(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** A clock that all threads share. */
export function wallMicros(): number {
  return Number(process.hrtime.bigint() / 1000n)
}
