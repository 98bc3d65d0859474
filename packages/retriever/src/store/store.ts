import type { Chunk, NewChunk, Place } from '../data/chunk.ts'
import type { ChunkSlices } from '../data/chunk-slices.ts'
import type { FileRecord } from '../data/file-record.ts'
import type { Filter } from '../data/search-filter.ts'

/** A chunk that was found; a higher score is better. It has the chunk itself where the search has read it. */
export type Found = { id: string; score: number; chunk?: Chunk }

export type TextSearch = { limit: number; filter: Filter; fuzzy?: boolean; withChunks?: boolean }

export type Change = {
  /**
   * A file's record with all of its chunks; chunks of a large file come in slices. `'keep'`: the existing chunks stay.
   */
  changed: readonly { record: FileRecord; chunks: readonly NewChunk[] | ChunkSlices | 'keep' }[]
  /** Files that are removed, with their chunks. */
  removed: readonly string[]
}

/** Metadata of an index. Absent: unknown. */
export type StoreMeta = {
  /** When its first sync completed. Before that it lacks files. */
  completedAt?: string
  /** When a sync last used it, to the hour. */
  usedAt?: string
  embedder?: string
  dimensions?: number
  /** The trust in the embedder, from 0 to 1, and the number of chunks of the measurement. */
  trust?: number
  trustedAt?: number
}

/**
 * One generation of an index: records of files and their chunks.
 *
 * One process writes at a time (`sync` holds the lock); any number of readers, also in other processes, see each file as
 * it was before a change or after it, never in between.
 */
export interface Store {
  /** Another text after each change, whichever process has made it. Cheap, for those who remember what they have read. */
  version(): Promise<string>
  /** Every known file, readable or not; or one of them; or those with chunks of an earlier version. */
  files(which?: { file?: string; stale?: true }): Promise<FileRecord[]>
  /** Applies a change of one file or many: all of it or nothing. */
  apply(change: Change, signal: AbortSignal): Promise<void>
  /**
   * The chunks that contain the words, ranked by BM25.
   * @param options.fuzzy also matches prefixes and misspelt words: for queries without hits
   * @param options.withChunks all of them will be read: a store that reads them faster in the same query does so
   */
  searchText(query: string, options: TextSearch): Promise<Found[]>
  /** The nearest chunks by vector, the best first; the score is the cosine. */
  searchVector(vector: Float32Array, options: { limit: number; filter: Filter }): Promise<Found[]>
  /** Chunks in the order of their ids; unknown ones are left out. */
  chunks(ids: readonly string[]): Promise<Chunk[]>
  /** A file's chunks in order. */
  chunksOf(file: string, options?: { from?: number; limit?: number }): Promise<Chunk[]>
  /** The places of a file's chunks, in order: a large file has much less of them than of text. */
  placesOf(file: string): Promise<Place[]>
  /** Existing vectors, by `textHash`. */
  vectorsOf(textHashes: readonly string[]): Promise<Map<string, Float32Array>>
  /** Some chunks with their vectors, the same in each call: to measure an embedder, and to verify an index. */
  sample(count: number): Promise<NewChunk[]>
  /** The number of chunks. */
  count(): Promise<number>
  meta(): Promise<StoreMeta>
  setMeta(meta: StoreMeta): Promise<void>
  /** Detects vectors that were lost elsewhere, and makes this sync compute them again. Under the lock. */
  repair?(signal: AbortSignal): Promise<void>
  /** Takes large changes into the indexes. Called where they were written, because it needs as much memory. */
  indexNow?(): Promise<void>
  /** `maintain` in this process: that lets another one do it where it takes much memory. */
  maintainHere?(signal: AbortSignal): Promise<void>
  /** Starts a process for the many changes of a large sync. */
  openWriter?(): ChangeWriter
  /** Cleans up after changes. Under the lock; may be slow, and stops at the signal. */
  maintain(signal: AbortSignal): Promise<void>
  /** Problems of the index, a sentence each; none when it is consistent. */
  verify(): Promise<string[]>
  close(): Promise<void>
}

/** Applies changes in a process of its own, whose memory ends with it. */
export interface ChangeWriter extends Pick<Store, 'apply'> {
  /** Takes the changes into the indexes, and ends the process. An abort or a failure of it leaves that to the store. */
  end(signal: AbortSignal): Promise<void>
  /** Ends the process at once. */
  stop(): Promise<void>
}

/** Storage for generations of indexes: a new one is built beside the old, which keeps serving. */
export interface StoreSpace {
  /** The names of the existing generations. */
  generations(): Promise<string[]>
  /**
   * Opens a generation, and creates it if it is missing.
   * @param options.dimensions of its vectors; absent, it has none
   */
  open(generation: string, options: { dimensions?: number }): Promise<Store>
  drop(generation: string): Promise<void>
  close(): Promise<void>
}
