import type { Chunk, NewChunk } from '../data/chunk.ts'
import type { ChunkSlices } from '../data/chunk-slices.ts'
import type { FileRecord } from '../data/file-record.ts'
import type { Filter } from '../data/search-filter.ts'

/** A chunk that was found; more is better. */
export type Found = { id: string; score: number }

export type Change = {
  /**
   * A file's record with its chunks, all that it has now; those of a large file come a slice at a time. `'keep'`: the
   * chunks that are there stay as they are.
   */
  changed: readonly { record: FileRecord; chunks: readonly NewChunk[] | ChunkSlices | 'keep' }[]
  /** Files that are forgotten, with their chunks. */
  removed: readonly string[]
}

/** What an index knows of itself. Absent: not yet. */
export type StoreMeta = {
  /** When its first sync came to its end. Before that it lacks files. */
  completedAt?: string
  /** When a sync has last used it, to the hour. */
  usedAt?: string
  embedder?: string
  dimensions?: number
  /** How far the embedder is trusted, from 0 to 1, and with how many chunks that was found out. */
  trust?: number
  trustedAt?: number
}

/**
 * One generation of an index: records of files and their chunks.
 *
 * One process writes at a time (`sync` holds the lock); any number reads meanwhile, in other processes too, and sees
 * each file as it was before a change or after it, never between.
 */
export interface Store {
  /** Every file that was looked at, readable or not. */
  files(): Promise<FileRecord[]>
  /** Makes a change, of one file or many: all of it or nothing. */
  apply(change: Change, signal: AbortSignal): Promise<void>
  /**
   * The chunks that say the words, the best first; by BM25.
   * @param options.fuzzy words that begin alike or are misspelt count too: for queries that find nothing
   */
  searchText(query: string, options: { limit: number; filter: Filter; fuzzy?: boolean }): Promise<Found[]>
  /** The chunks that mean the same, the best first; the score is the cosine. */
  searchVector(vector: Float32Array, options: { limit: number; filter: Filter }): Promise<Found[]>
  /** Chunks in the order of their ids; unknown ones are left out. */
  chunks(ids: readonly string[]): Promise<Chunk[]>
  /** A file's chunks in their order. */
  chunksOf(file: string, options?: { from?: number; limit?: number }): Promise<Chunk[]>
  /** The vectors that are known, by `textHash`. */
  vectorsOf(textHashes: readonly string[]): Promise<Map<string, Float32Array>>
  /** Some chunks with their vectors, the same at each call: to try an embedder, and an index, on. */
  sample(count: number): Promise<NewChunk[]>
  /** How many chunks there are. */
  count(): Promise<number>
  meta(): Promise<StoreMeta>
  setMeta(meta: StoreMeta): Promise<void>
  /** Notices vectors that others have lost for us, and sees to it that this sync makes them anew. Under the lock. */
  mend?(signal: AbortSignal): Promise<void>
  /** Tidies up what changes leave behind. Under the lock; may be slow, and stops at the signal. */
  maintain(signal: AbortSignal): Promise<void>
  /** What is wrong with the index, a sentence each; none when it is sound. */
  verify(): Promise<string[]>
  close(): Promise<void>
}

/** Where generations of indexes live: a new one is built beside the old, which keeps serving. */
export interface StoreSpace {
  /** The names of the generations that are there. */
  generations(): Promise<string[]>
  /**
   * Opens a generation, and makes it where it is not there.
   * @param options.dimensions of its vectors; absent, it has none
   */
  open(generation: string, options: { dimensions?: number }): Promise<Store>
  drop(generation: string): Promise<void>
  close(): Promise<void>
}
