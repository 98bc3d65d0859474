import type { Tool } from './tool.ts'

/** How a file could be read: `ok`, or why it is not, or not well; `pending`: it is read by the next sync. */
export type FileStatus =
  | 'ok'
  | 'pending'
  | 'no-text'
  | 'low-quality'
  | 'encrypted'
  | 'corrupt'
  | 'too-large'
  | 'unsupported'

/** What is to be known of one file. */
export type FileNote = {
  /** Relative to the folder, with `/`. */
  file: string
  status: FileStatus
  /** A sentence for people. */
  reason: string
}

/** What one sync has done. */
export type SyncReport = {
  /** Files that were new, changed or renamed, and are now searchable. */
  indexed: number
  unchanged: number
  /** Files that are gone, and are not searchable any more. */
  removed: number
  /** Files that changed while they were read: the next sync reads them. */
  pending: number
  /** Of all files that are searchable now. */
  chunks: number
  /** Files that cannot be read, each with the reason. */
  skipped: FileNote[]
  /** Files that can be read, but not well. */
  warnings: FileNote[]
  /** How a search finds now: by words, by meaning, or by both. */
  mode: 'text' | 'hybrid' | 'vector'
  /** What the user should know about the embedder, a sentence: that it was found useless, say. Absent: nothing. */
  notice?: string
}

/** How far a sync is. */
export type SyncProgress = {
  /** Files that have to be read, and how many of them are done. */
  files: number
  filesDone: number
  /** The size of both, in bytes. */
  bytes: number
  bytesDone: number
  /** Chunks written so far. */
  chunks: number
  /** Since the sync began, in milliseconds. */
  elapsedMs: number
}

export type SyncOptions = {
  /** Ends the sync; what is finished stays. */
  signal?: AbortSignal
  /** Told now and then, and once at the end. */
  onProgress?(progress: SyncProgress): void
}

/** What an agent may look up: made by a retriever. All that a server sees of it, too. */
export interface Knowledge {
  /**
   * How long the sync before an agent's first answer may delay it, in seconds; 60 when absent. Then the run answers from
   * what is indexed, its `warnings` say how many files are pending, and the sync continues.
   */
  readonly firstAnswerSeconds?: number
  /** What the model may call. After a sync that changed something these are other objects: they say what there is. */
  tools(): Tool[]
  /** Brings the index up to the files. Calls at the same time share one sync. */
  sync(options?: SyncOptions): Promise<SyncReport>
  /** The files that are searchable, relative to the folder, in order. */
  files(): Promise<string[]>
  close(): Promise<void>
}
