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
  /** The largest number of hits; 10 when absent, at most 1,000. */
  limit?: number
  /** Only these files and folders, relative to the folder of the retriever; each of at most 1,024 characters. */
  paths?: readonly string[]
  /** Only files with these extensions, with or without the dot. */
  exts?: readonly string[]
  signal?: AbortSignal
}

export type WatchOptions = {
  /** Stops watching. */
  signal: AbortSignal
  /** Called with the report of each sync that found something new. */
  onSync?(report: SyncReport): void
  /** Called when a sync fails, once for consecutive equal failures; watching continues. */
  onError?(error: unknown): void
}

/** A folder of files that can be searched and cited. */
export interface Retriever extends Knowledge {
  /**
   * The passages that answer a query, the best first; none without an index. Uses an existing index without a sync.
   * @param query of at most 4,000 characters: the words that matter, or a question
   * @throws AgentKitError `invalid-argument` for an empty or longer query, or for unknown options
   */
  search(query: string, options?: SearchOptions): Promise<Hit[]>
  /**
   * The text of a cited passage.
   * @throws AgentKitError `not-found` when the index does not contain it any more; `invalid-argument`
   */
  resolve(chunkId: string): Promise<string>
  /**
   * All passages of a file in order. None of an unknown file.
   * @param file its path of at most 1,024 characters
   * @throws AgentKitError `invalid-argument`
   */
  read(file: string, options?: { from?: number; limit?: number }): Promise<Chunk[]>
  /** Every known file, readable or not, in order. */
  records(): Promise<FileRecord[]>
  /** Problems of the index, a sentence each; none when it is consistent. */
  verify(): Promise<string[]>
  /** Syncs now, and whenever a file changes. */
  watch(options: WatchOptions): void
  /** Settles when maintenance is complete: it runs in the background after a sync, and `close()` interrupts it. */
  tidied(): Promise<void>
}

/**
 * Makes the files of a folder searchable. Opens and reads nothing before its first use.
 *
 * @throws AgentKitError `invalid-argument`, `invalid-config` or `missing-key` for invalid options
 * @example
 * const retriever = createRetriever({ folder: 'docs' })
 * await retriever.sync()
 * const [best] = await retriever.search('How many days of holiday are there?')
 */
export function createRetriever(options?: RetrieverOptions): Retriever {
  const settings = checkRetrieverOptions(options)
  return retrieverOf(settings, { pool: createParsePool(settings.parsing), openSpace, measureTrust })
}
