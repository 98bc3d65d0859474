import { join } from 'node:path'
import { AgentKitError, type Knowledge, type Passage, type SyncOptions } from '@agentkit/core'
import { checkOptions, checkText, longestPath, longestQuery } from './data/check-arguments.ts'
import type { Chunk } from './data/chunk.ts'
import type { Hit } from './data/cite.ts'
import type { FileRecord } from './data/file-record.ts'
import { FolderIndex, needsVectors } from './folder-index.ts'
import { madeOf } from './made-of.ts'
import { openSpace } from './open-space.ts'
import { checkRetrieverOptions, localFolderOf, type RetrieverOptions, type RetrieverSettings } from './options.ts'
import { supportedExts } from './parse/parsers.ts'
import { limitsMark } from './parse/pool/parse-limits.ts'
import { createParsePool, type ParsePool } from './parse/pool/parse-pool.ts'
import { measureTrust } from './rank/trust.ts'
import type { StoreSpace } from './store/store.ts'
import { FolderSync } from './sync/folder-sync.ts'
import { folderPrefix } from './sync/generation-name.ts'
import { openGenerations } from './sync/generations.ts'
import { rememberRecords } from './sync/known-records.ts'
import type { SyncParts } from './sync/sync.ts'
import { syncOnChange, type WatchOptions } from './sync/sync-on-change.ts'
import { toolsOfLibrary } from './tools/tools-of-library.ts'

/** How many passages, and of which files. */
export type SearchOptions = {
  /** The largest number of hits; 10 when absent, at most 1,000. */
  limit?: number
  /** Only these files and folders, relative to the folder of the retriever; each of at most 1,024 characters. */
  paths?: readonly string[]
  /** Only files with these extensions, with or without the dot. */
  exts?: readonly string[]
  signal?: AbortSignal
  /** Called with a sentence when the embedder fails and words alone are searched. */
  onWarning?(warning: string): void
}

/** A folder of files that can be searched and cited. */
export interface Retriever extends Knowledge {
  readonly folder: string
  readonly exts: readonly string[]
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
   * A cited passage with the text around it, and whether its file has changed since.
   * @param options.context the longest text before and after the quote, in characters; default 1,000, at most 100,000
   * @throws AgentKitError `not-found` when the index does not contain it any more; `invalid-argument`
   * @example
   * const { before, quote, after } = await retriever.passage(citation.chunkId, { context: 300 })
   */
  passage(chunkId: string, options?: { context?: number }): Promise<Passage>
  /**
   * All passages of a file in order. None of an unknown file.
   * @param file its path of at most 1,024 characters
   * @throws AgentKitError `invalid-argument`
   */
  read(file: string, options?: { from?: number; limit?: number }): Promise<Chunk[]>
  /** Every known file, readable or not, in order. */
  records(): Promise<FileRecord[]>
  /** From now on, the tools see only the files of the run's user, in the folder that is named for the user. */
  separateUsers(): void
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

/** The parts of a retriever. */
export type RetrieverParts = {
  pool: ParsePool
  openSpace(settings: RetrieverSettings): StoreSpace
  measureTrust: SyncParts['measureTrust']
}

/** A retriever of checked options. */
export function retrieverOf(settings: RetrieverSettings, retrieverParts: RetrieverParts): Retriever {
  const { folder, exts } = settings
  const { pool } = retrieverParts
  const closing = new AbortController()
  const parts = syncPartsOf(settings, retrieverParts)
  const { generations } = parts
  const syncs = new FolderSync(parts, (records) => libraryTools.remember(records))
  const { staleFiles } = syncs
  const { knownRecords } = parts
  const index = new FolderIndex({ settings, generations, pool, staleFiles, knownRecords, closed: closing.signal })
  const checkOpen = (): void => {
    if (closing.signal.aborted) throw closedError()
  }

  const retriever: Retriever = {
    firstAnswerSeconds: settings.parsing.firstAnswerSeconds,
    folder,
    exts: [...exts],

    async sync(syncOptions?: SyncOptions) {
      checkOpen()
      checkOptions('sync()', syncOptions, ['signal', 'onProgress'])
      return syncs.sync(syncOptions)
    },

    async search(query, searchOptions) {
      checkOpen()
      checkText('search()', query, 'say what to look for', longestQuery)
      checkOptions('search()', searchOptions, ['limit', 'paths', 'exts', 'signal', 'onWarning'])
      const { limit = 10, signal = closing.signal, onWarning, ...filter } = searchOptions ?? {}
      return index.search(query, { limit, filter, signal, onWarning })
    },

    async resolve(id) {
      checkOpen()
      checkText('resolve()', id, 'pass the `chunkId` of a citation')
      return index.quote(id)
    },

    async passage(id, passageOptions) {
      checkOpen()
      checkText('passage()', id, 'pass the `chunkId` of a citation')
      checkOptions('passage()', passageOptions, ['context'])
      return index.passage(id, passageOptions?.context ?? 1_000)
    },

    async read(path, part) {
      checkOpen()
      checkText('read()', path, 'name a file, such as "handbook.pdf"', longestPath)
      checkOptions('read()', part, ['from', 'limit'])
      return index.read(path, part)
    },

    async records() {
      checkOpen()
      return index.records()
    },

    async files() {
      checkOpen()
      const records = await index.records()
      // An agent that does not wait for the sync calls this: its tools list the files that are known now.
      libraryTools.remember(records)
      return records.filter(({ chunks }) => chunks > 0).map(({ file }) => file)
    },

    async verify() {
      checkOpen()
      return index.verify()
    },

    separateUsers() {
      libraryTools.separateUsers()
    },

    tools: () => libraryTools.now(),

    watch(watchOptions) {
      checkOpen()
      const signal = AbortSignal.any([watchOptions.signal, closing.signal])
      const { indexFolder: except } = parts
      syncOnChange(
        { folder, except, sync: (options) => retriever.sync(options), records: () => index.records() },
        { ...watchOptions, signal },
      )
    },

    async tidied() {
      checkOpen()
      await syncs.maintained()
    },

    async close() {
      if (!closing.signal.aborted) closing.abort(new AgentKitError('aborted', 'The retriever was closed.'))
      await syncs.close(closing.signal.reason)
      await pool.close()
      await generations.close()
    },
  }
  const library = {
    ...retriever,
    places: (file: string) => index.places(file),
    chunks: (ids: readonly string[]) => index.chunks(ids),
    isStale: (file: string) => index.isStale(file),
  }
  const libraryTools = toolsOfLibrary(library, folder)
  return retriever
}

function syncPartsOf(settings: RetrieverSettings, { pool, openSpace, measureTrust }: RetrieverParts): SyncParts {
  const { folder, exts, embedder, maxFileBytes } = settings
  const made = madeOf(settings)
  const indexFolder = localFolderOf(settings.indexPath)
  return {
    folder,
    stateFolder: join(indexFolder, 'sync', folderPrefix(made).slice(0, -1)),
    indexFolder,
    exts,
    supportedExts,
    reportsUnsupported: !settings.isNarrowed,
    maxFileBytes,
    limitsMark: limitsMark(settings.parsing),
    generations: openGenerations({
      openSpace: async () => openSpace(settings),
      made,
      ...(embedder?.dimensions !== undefined && { dimensions: embedder.dimensions }),
    }),
    knownRecords: rememberRecords(),
    made,
    pool,
    ...(embedder && { embedder }),
    needsVectors: needsVectors(settings),
    measureTrust,
  }
}

function closedError(): AgentKitError {
  return new AgentKitError('invalid-argument', 'The retriever is closed. Make a new one with createRetriever().')
}
