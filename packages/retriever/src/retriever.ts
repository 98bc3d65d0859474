import type { Knowledge, SyncReport } from '@agentkit/core'
import type { Chunk } from './data/chunk.ts'
import type { FileRecord } from './data/file-record.ts'
import { openSpace } from './open-space.ts'
import { checkRetrieverOptions, type RetrieverOptions } from './options.ts'
import { createParsePool } from './parse/pool/parse-pool.ts'
import { measureTrust } from './rank/trust.ts'
import { retrieverOf } from './retriever-of.ts'
import type { Hit } from './search.ts'

export type SearchOptions = {
  /** How many hits at the most; 10 when absent, never more than 1,000. */
  limit?: number
  /** Only these files and folders, relative to the folder of the retriever; each of at most 1,024 characters. */
  paths?: readonly string[]
  /** Only files with these extensions, with or without the dot. */
  exts?: readonly string[]
  signal?: AbortSignal
}

export type WatchOptions = {
  /** Ends the watching. */
  signal: AbortSignal
  /** Told of each sync that found something new. */
  onSync?(report: SyncReport): void
  /** Told of a sync that failed, once where the next ones fail alike; the watching goes on. */
  onError?(error: unknown): void
}

/** A folder of files that can be searched and cited. */
export interface Retriever extends Knowledge {
  /**
   * The passages that answer a query, the best first; none where there is no index yet. Needs no sync where there is.
   * @param query of at most 4,000 characters: the words that matter, or a question
   * @throws AgentKitError `invalid-argument` for an empty or longer query, or options that it does not take
   */
  search(query: string, options?: SearchOptions): Promise<Hit[]>
  /**
   * The words of a passage that was cited.
   * @throws AgentKitError `not-found` for one that is not in the index any more; `invalid-argument`
   */
  resolve(chunkId: string): Promise<string>
  /**
   * A file's passages in their order: all that it says. None of an unknown file.
   * @param file its path of at most 1,024 characters
   * @throws AgentKitError `invalid-argument`
   */
  read(file: string, options?: { from?: number; limit?: number }): Promise<Chunk[]>
  /** Every file that was looked at, readable or not, in order. */
  records(): Promise<FileRecord[]>
  /** What is wrong with the index, a sentence each; none when it is sound. */
  verify(): Promise<string[]>
  /** Syncs now, and whenever a file changes. */
  watch(options: WatchOptions): void
  /** Settles when the index is tidied up: that goes on in the background after a sync, and `close()` cuts it short. */
  tidied(): Promise<void>
}

/**
 * Makes the files of a folder searchable. Opens and reads nothing before it is used.
 *
 * @throws AgentKitError `invalid-argument`, `invalid-config` or `missing-key` for options that cannot work
 * @example
 * const retriever = createRetriever({ folder: 'docs' })
 * await retriever.sync()
 * const [best] = await retriever.search('How many days of holiday are there?')
 */
export function createRetriever(options?: RetrieverOptions): Retriever {
  const settings = checkRetrieverOptions(options)
  return retrieverOf(settings, { pool: createParsePool(settings.parsing), openSpace, measureTrust })
}
