import type { FileStatus } from '@agentkit/core'

/** What the index knows of a file. */
export type FileRecord = {
  /** Relative to the folder, with `/`. */
  file: string
  /** In bytes. */
  size: number
  mtimeMs: number
  /**
   * Of its bytes; empty where these could not be had, and what `limitsMark` gives where reading them exceeded the limits.
   */
  hash: string
  status: FileStatus
  /** Why it is not `ok`. */
  reason?: string
  /** Its new version could not be read: the chunks are those of the one before. */
  stale?: true
  /** Front matter's or the document's own. */
  title?: string
  pages?: number
  chunks: number
  /** Length of its extracted text. */
  characters: number
}
