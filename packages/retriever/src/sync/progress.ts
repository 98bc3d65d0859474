import type { SyncProgress } from '@agentkit/core'

/** Reports the progress of a sync: at most ten times a second, and at its end. */
export interface ProgressReporter {
  /** The total work. */
  begin(files: number, bytes: number): void
  add(done: { files: number; bytes: number; chunks: number }): void
  end(): void
}

const tellEveryMs = 100

export function progressReporter(tell: (progress: SyncProgress) => void): ProgressReporter {
  const beganAt = performance.now()
  const progress = { files: 0, filesDone: 0, bytes: 0, bytesDone: 0, chunks: 0 }
  let toldAt = Number.NEGATIVE_INFINITY
  const tellNow = (): void => {
    toldAt = performance.now()
    tell({ ...progress, elapsedMs: Math.round(toldAt - beganAt) })
  }
  return {
    begin(files, bytes) {
      Object.assign(progress, { files, bytes })
      if (files > 0) tellNow()
    },
    add({ files, bytes, chunks }) {
      progress.filesDone += files
      progress.bytesDone += bytes
      progress.chunks += chunks
      if (performance.now() - toldAt >= tellEveryMs) tellNow()
    },
    end: tellNow,
  }
}
