import type { FileStatus } from '@agentkit/core'

/** A file's entry in the index. */
export type FileRecord = {
  /** Relative to the folder, with `/`. */
  file: string
  /** In bytes. */
  size: number
  /** When it was last changed, in milliseconds since 1970. */
  mtimeMs: number
  /**
   * Of its bytes; empty when they could not be read, and the result of `limitsMark` when reading them exceeded the limits.
   */
  hash: string
  status: FileStatus
  /** Why the status is not `ok`. */
  reason?: string
  /** The new version could not be read: the chunks are those of the previous one. */
  stale?: true
  /** From front matter or the document's own properties. */
  title?: string
  /** Of a PDF. */
  pages?: number
  /** How many passages it has. */
  chunks: number
  /** The length of the extracted text. */
  characters: number
}

/** A file as the folder's scan found it, with its real path. */
export type FoundFile = {
  device: number
  inode: number
  size: number
  /** The last change of its bytes or its inode (ctime). */
  mtimeMs: number
}
