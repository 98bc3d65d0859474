import type { SyncProgress } from '@agentkit/core'

/** Reports the progress of a sync: at most ten times a second, and at its end. */
export interface ProgressReporter {
  /** The total work. */
  begin(files: number, bytes: number): void
  add(done: { files: number; bytes: number; chunks: number }): void
  end(): void
}

const reportEveryMs = 100

export function progressReporter(report: (progress: SyncProgress) => void): ProgressReporter {
  const beganAt = performance.now()
  const progress = { files: 0, filesDone: 0, bytes: 0, bytesDone: 0, chunks: 0 }
  let reportedAt = Number.NEGATIVE_INFINITY
  const reportNow = (): void => {
    reportedAt = performance.now()
    report({ ...progress, elapsedMs: Math.round(reportedAt - beganAt) })
  }
  return {
    begin(files, bytes) {
      Object.assign(progress, { files, bytes })
      if (files > 0) reportNow()
    },
    add({ files, bytes, chunks }) {
      progress.filesDone += files
      progress.bytesDone += bytes
      progress.chunks += chunks
      if (performance.now() - reportedAt >= reportEveryMs) reportNow()
    },
    end: reportNow,
  }
}
