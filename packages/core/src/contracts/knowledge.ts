import type { Tool } from './tool.ts'

/** Whether a file could be read: `ok`, or the reason why not, or why only in part; `pending`: the next sync reads it. */
export type FileStatus =
  | 'ok'
  | 'pending'
  | 'no-text'
  | 'low-quality'
  | 'encrypted'
  | 'corrupt'
  | 'too-large'
  | 'unsupported'

/** The status of one file. */
export type FileNote = {
  /** Relative to the folder, with `/`. */
  file: string
  /** Whether it could be read, or why not. */
  status: FileStatus
  /** The reason, as a sentence for the user. */
  reason: string
}

/** A file of the folder, as the last sync found it. */
export type FileInfo = {
  /** Relative to the folder, with `/`. */
  readonly file: string
  /** In bytes. */
  readonly size: number
  /** Whether it could be read, or why not. */
  readonly status: FileStatus
  /** Why the status is not `ok`: a sentence for the user. */
  readonly reason?: string | undefined
}

/** A cited passage with the text around it. */
export type Passage = {
  /** Relative to the folder, with `/`. */
  file: string
  /** The page on which the passage begins, from 1. */
  page?: number
  /** The row number as a spreadsheet shows it: the header is 1. */
  row?: number
  /** The heading above the passage. */
  heading?: string
  /** The beginning of the quote in the file's extracted text, in UTF-16 code units. */
  start: number
  /** The end of the quote, in UTF-16 code units; exclusive. */
  end: number
  /** The text of the passage. */
  quote: string
  /** The text directly before the quote. */
  before: string
  /** The text directly after the quote. */
  after: string
  /** The file has changed since it was indexed, or was deleted. */
  stale?: true
}

/** The result of one sync. */
export type SyncReport = {
  /** Files that were new, changed or renamed, and are now searchable. */
  indexed: number
  /** Files that have not changed since the last sync. */
  unchanged: number
  /** Files that were deleted and are no longer searchable. */
  removed: number
  /** Files that changed while they were being read; the next sync reads them again. */
  pending: number
  /** All chunks that are searchable now. */
  chunks: number
  /** Files that cannot be read, each with the reason. */
  skipped: FileNote[]
  /** Files that were read only in part, each with the reason. */
  warnings: FileNote[]
  /** What a search uses: words, meaning, or both. */
  mode: 'text' | 'hybrid' | 'vector'
  /** A warning about the embedder for the user, such as that it does not improve results. Absent when there is none. */
  notice?: string
}

/** The progress of a sync. */
export type SyncProgress = {
  /** The number of files to read. */
  files: number
  /** The number of files that have been read. */
  filesDone: number
  /** The size of the files to read, in bytes. */
  bytes: number
  /** The size of the files that have been read, in bytes. */
  bytesDone: number
  /** Chunks written so far. */
  chunks: number
  /** Since the start of the sync, in milliseconds. */
  elapsedMs: number
}

/** What ends a sync, and who receives its progress. */
export type SyncOptions = {
  /** Aborts the sync; finished work is kept. */
  signal?: AbortSignal
  /** Called periodically, and once when the sync completes. */
  onProgress?(progress: SyncProgress): void
}

/**
 * What an agent can search, such as a retriever. The server sees only this interface too: it stores uploads where there is
 * a `folder`, and serves passages where there is `passage`.
 */
export interface Knowledge {
  /**
   * How long the sync before an agent's first answer may delay it, in seconds; 60 when absent. Then the run answers from
   * the current index, its `warnings` have the number of pending files, and the sync continues.
   */
  readonly firstAnswerSeconds?: number
  /** The tools for the model. A sync that changed the index replaces them, as their descriptions name its contents. */
  tools(): Tool[]
  /** Updates the index to match the files. Concurrent calls share one sync. */
  sync(options?: SyncOptions): Promise<SyncReport>
  /** The searchable files, relative to the folder, sorted. */
  files(): Promise<string[]>
  /** The folder whose files are searched. */
  readonly folder?: string | undefined
  /** The extensions of the files that can be read, in lower case with the dot; all when absent. */
  readonly exts?: readonly string[] | undefined
  /** Every known file, readable or not, sorted. */
  records?(): Promise<readonly FileInfo[]>
  /**
   * A cited passage, also of a file that has changed since.
   * @param options.context the longest text before and after the quote, in characters; default 1,000
   * @throws AgentKitError `not-found` for an unknown id
   */
  passage?(chunkId: string, options?: { context?: number }): Promise<Passage>
  /**
   * From now on, a run's tools see only the files of its user, in the folder that `userFolder` names, and without its
   * name. `records` and `passage` still see all files.
   */
  separateUsers?(): void
  /** Closes the index. */
  close(): Promise<void>
}
