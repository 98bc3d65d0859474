import { basename, join } from 'node:path'
import { AgentKitError, type Knowledge, type Passage, type SyncOptions } from '@agentkit/core'
import { checkOptions, checkText, longestPath, longestQuery } from './data/check-arguments.ts'
import type { Chunk } from './data/chunk.ts'
import type { Hit } from './data/cite.ts'
import { extOf } from './data/ext-of.ts'
import type { FileRecord } from './data/file-record.ts'
import { plainPath, spellingsOf } from './data/plain-path.ts'
import { narrowedFilter } from './data/search-filter.ts'
import { madeOf } from './made-of.ts'
import { openSpace } from './open-space.ts'
import { checkRetrieverOptions, localFolderOf, type RetrieverOptions, type RetrieverSettings } from './options.ts'
import { supportedExts } from './parse/parsers.ts'
import { limitsMark } from './parse/pool/parse-limits.ts'
import { createParsePool, type ParsePool } from './parse/pool/parse-pool.ts'
import { measureTrust } from './rank/trust.ts'
import { readPassage } from './read-passage.ts'
import { searchStore } from './search.ts'
import type { Store, StoreSpace } from './store/store.ts'
import { background } from './sync/background.ts'
import { folderPrefix } from './sync/generation-name.ts'
import { openGenerations } from './sync/generations.ts'
import { shareSync } from './sync/share-sync.ts'
import { rememberStaleFiles } from './sync/stale-files.ts'
import { type SyncParts, syncFolder } from './sync/sync.ts'
import { syncOnChange, type WatchOptions } from './sync/sync-on-change.ts'
import { withLock } from './sync/with-lock.ts'
import { toolsOfLibrary } from './tools/tools-of-library.ts'
import { tracedSearch } from './traced-search.ts'

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
export function retrieverOf(settings: RetrieverSettings, { pool, openSpace, measureTrust }: RetrieverParts): Retriever {
  const { folder, exts, isNarrowed, embedder, indexPath } = settings
  const closing = new AbortController()
  const made = madeOf(settings)
  const generations = openGenerations({
    openSpace: async () => openSpace(settings),
    made,
    ...(embedder?.dimensions !== undefined && { dimensions: embedder.dimensions }),
  })
  const indexFolder = localFolderOf(indexPath)
  const stateFolder = join(indexFolder, 'sync', folderPrefix(made).slice(0, -1))
  const needsVectors = settings.tool.startsWith('cloudindex-')
  const parts: SyncParts = {
    folder,
    stateFolder,
    indexFolder,
    exts,
    supportedExts,
    reportsUnsupported: !isNarrowed,
    maxFileBytes: settings.maxFileBytes,
    limitsMark: limitsMark(settings.parsing),
    generations,
    made,
    pool,
    ...(embedder && { embedder }),
    needsVectors,
    measureTrust,
  }
  const isAsked = (file: string): boolean => exts.has(extOf(file))

  let generation: string | undefined
  const staleFiles = rememberStaleFiles()
  const maintenance = background((signal) =>
    withLock(stateFolder, signal, async () => {
      if (generation) await generations.write(generation, (store) => store.maintain(signal))
    }),
  )
  const shared = shareSync(async (run) => {
    await maintenance.stop()
    if (generation === undefined) maintenance.need()
    try {
      const synced = await syncFolder(parts, run)
      generation = synced.generation
      staleFiles.forget()
      libraryTools.remember(synced.records)
      const { indexed, removed } = synced.report
      if (indexed > 0 || removed > 0) maintenance.need()
      return synced.report
    } finally {
      if (!closing.signal.aborted) maintenance.resume()
    }
  })

  async function recordsNow(): Promise<FileRecord[]> {
    const records = (await generations.read(({ store }) => store.files())) ?? []
    return records.filter(({ file }) => isAsked(file)).sort((one, other) => (one.file < other.file ? -1 : 1))
  }

  function checkOpen(): void {
    if (closing.signal.aborted) throw closedError()
  }

  async function chunkOf(store: Store, id: string): Promise<Chunk> {
    const [chunk] = await store.chunks([id])
    if (chunk && isAsked(chunk.file)) return chunk
    throw noPassage(id)
  }

  const retriever: Retriever = {
    firstAnswerSeconds: settings.parsing.firstAnswerSeconds,
    folder,
    exts: [...exts],

    async sync(syncOptions?: SyncOptions) {
      checkOpen()
      checkOptions('sync()', syncOptions, ['signal', 'onProgress'])
      return shared.sync(syncOptions)
    },

    async search(query, searchOptions) {
      checkOpen()
      checkText('search()', query, 'say what to look for', longestQuery)
      checkOptions('search()', searchOptions, ['limit', 'paths', 'exts', 'signal', 'onWarning'])
      const { limit = 10, signal = closing.signal, onWarning, ...filter } = searchOptions ?? {}
      const within = isNarrowed ? narrowedFilter(filter, exts) : filter
      const work = async (): Promise<Hit[]> => {
        const hits = await generations.read(async ({ store, hasOurVectors }) => {
          const asked = {
            limit,
            filter: within,
            signal,
            onWarning,
            staleFiles: await staleFiles.of(store),
            needsVectors,
          }
          return searchStore(store, query, { ...asked, ...(hasOurVectors && { embedder }) })
        })
        return hits ?? []
      }
      return tracedSearch({ source: basename(folder), query, limit }, work)
    },

    async resolve(id) {
      checkOpen()
      checkText('resolve()', id, 'pass the `chunkId` of a citation')
      const chunk = await generations.read(({ store }) => chunkOf(store, id))
      if (chunk) return chunk.quote
      throw noPassage(id)
    },

    async passage(id, passageOptions) {
      checkOpen()
      checkText('passage()', id, 'pass the `chunkId` of a citation')
      checkOptions('passage()', passageOptions, ['context'])
      const { context = 1_000 } = passageOptions ?? {}
      const { maxFileBytes } = settings
      const passage = await generations.read(async ({ store }) =>
        readPassage(store, await chunkOf(store, id), { folder, pool, context, maxFileBytes, signal: closing.signal }),
      )
      if (passage) return passage
      throw noPassage(id)
    },

    async read(path, part) {
      checkOpen()
      checkText('read()', path, 'name a file, such as "handbook.pdf"', longestPath)
      checkOptions('read()', part, ['from', 'limit'])
      const file = plainPath(path)
      if (!isAsked(file)) return []
      const chunks = await generations.read(async ({ store }) => {
        for (const spelling of spellingsOf(file)) {
          const found = await store.chunksOf(spelling, part)
          if (found.length > 0) return found
        }
        return []
      })
      return chunks ?? []
    },

    async records() {
      checkOpen()
      return recordsNow()
    },

    async files() {
      checkOpen()
      const records = await recordsNow()
      // An agent that does not wait for the sync calls this: its tools list the files that are known now.
      libraryTools.remember(records)
      return records.filter(({ chunks }) => chunks > 0).map(({ file }) => file)
    },

    async verify() {
      checkOpen()
      return (await generations.read(({ store }) => store.verify())) ?? ['There is no index yet: sync makes it.']
    },

    separateUsers() {
      libraryTools.separateUsers()
    },

    tools: () => libraryTools.now(),

    watch(watchOptions) {
      checkOpen()
      const signal = AbortSignal.any([watchOptions.signal, closing.signal])
      syncOnChange(
        { folder, except: indexFolder, sync: (options) => retriever.sync(options), records: recordsNow },
        { ...watchOptions, signal },
      )
    },

    async tidied() {
      checkOpen()
      await maintenance.settled()
    },

    async close() {
      if (!closing.signal.aborted) closing.abort(new AgentKitError('aborted', 'The retriever was closed.'))
      await shared.stop(closing.signal.reason)
      await maintenance.stop()
      await pool.close()
      await generations.close()
    },
  }
  const libraryTools = toolsOfLibrary(retriever)
  return retriever
}

function noPassage(id: string): AgentKitError {
  const message = `There is no passage "${id}": its file has changed or is gone. Search again.`
  return new AgentKitError('not-found', message)
}

function closedError(): AgentKitError {
  return new AgentKitError('invalid-argument', 'The retriever is closed. Make a new one with createRetriever().')
}
