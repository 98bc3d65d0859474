import type { ParseEnd, ParsePart, ParseRequest } from '../pieces/worker-messages.ts'

/** A file with a caller that waits for it. */
export type Task = {
  request: ParseRequest
  /** The file's share of a worker's load. */
  weight: number
  /** A worker exited while it may have been reading the file: a worker that reads no other file reads it again. */
  isRetry?: true
  onPart(part: ParsePart): void
  /** Discards the parts so far: the file is read again. */
  onRestart(): void
  resolve(end: ParseEnd): void
  reject(error: unknown): void
}

/** The number of small files that a worker has in advance, so that it is never idle while its parent writes the index. */
export const fullLoad = 256
