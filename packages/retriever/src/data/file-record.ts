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
   * The hash of the bytes; empty when they could not be read, and the result of `limitsMark` when reading them exceeded
   * the limits.
   */
  hash: string
  status: FileStatus
  /** Why the status is not `ok`. */
  reason?: string
  /** The new version could not be read: the chunks belong to the previous version. */
  stale?: true
  /** The title from the front matter or the document's properties. */
  title?: string
  /** The number of pages of a PDF. */
  pages?: number
  /** The number of the file's passages. */
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
