import { join, relative, resolve, sep } from 'node:path'
import { AgentKitError, type SyncOptions, type Tool } from '@agentkit/core'
import { checkOptions, checkText, longestPath, longestQuery } from './data/check-arguments.ts'
import { extOf } from './data/ext-of.ts'
import type { FileRecord } from './data/file-record.ts'
import { plainPath } from './data/plain-path.ts'
import { type Filter, wholeFilter } from './data/search-filter.ts'
import { isRemote, localFolderOf, type RetrieverSettings } from './options.ts'
import { supportedExts } from './parse/parsers.ts'
import { limitsMark } from './parse/pool/parse-limits.ts'
import type { ParsePool } from './parse/pool/parse-pool.ts'
import type { Retriever } from './retriever.ts'
import { searchStore } from './search.ts'
import type { Store, StoreSpace } from './store/store.ts'
import { background } from './sync/background.ts'
import { folderPrefix, type GenerationOf } from './sync/generation-name.ts'
import { openGenerations } from './sync/generations.ts'
import { shareSync } from './sync/share-sync.ts'
import { type SyncParts, syncFolder } from './sync/sync.ts'
import { watchFolder } from './sync/watch-folder.ts'
import { withLock } from './sync/with-lock.ts'
import { retrievalTools } from './tools/retrieval-tools.ts'

/** What a retriever is made of. */
export type RetrieverParts = {
  pool: ParsePool
  openSpace(settings: RetrieverSettings): StoreSpace
  measureTrust: SyncParts['measureTrust']
}

/** Which files have old chunks is asked again after so long, in milliseconds: other processes sync too. */
const staleForMs = 1000

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
    tellsUnsupported: !isNarrowed,
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

  let known: { records: readonly FileRecord[]; tools: Tool[] } | undefined
  let generation: string | undefined
  let stale: { store: Store; at: number; files: Promise<ReadonlySet<string>> } | undefined
  const tidying = background((signal) =>
    withLock(stateFolder, signal, async () => {
      if (generation) await generations.write(generation, (store) => store.maintain(signal))
    }),
  )
  const shared = shareSync(async (run) => {
    await tidying.stop()
    if (generation === undefined) tidying.need()
    try {
      const synced = await syncFolder(parts, run)
      generation = synced.generation
      stale = undefined
      rememberFiles(synced.records)
      const { indexed, removed } = synced.report
      if (indexed > 0 || removed > 0) tidying.need()
      return synced.report
    } finally {
      if (!closing.signal.aborted) tidying.resume()
    }
  })

  function rememberFiles(records: readonly FileRecord[]): void {
    if (known && isSameSet(known.records, records)) return
    known = { records, tools: retrievalTools(retriever, records) }
  }

  async function recordsNow(): Promise<FileRecord[]> {
    const records = (await generations.read(({ store }) => store.files())) ?? []
    return records.filter(({ file }) => isAsked(file)).sort((one, other) => (one.file < other.file ? -1 : 1))
  }

  function staleFilesOf(store: Store): Promise<ReadonlySet<string>> {
    if (stale?.store !== store || performance.now() - stale.at > staleForMs) {
      const files = store.files().then((all) => new Set(all.filter((record) => record.stale).map(({ file }) => file)))
      stale = { store, at: performance.now(), files }
    }
    return stale.files
  }

  function checkOpen(): void {
    if (closing.signal.aborted) throw closedError()
  }

  const retriever: Retriever = {
    firstAnswerSeconds: settings.parsing.firstAnswerSeconds,

    async sync(syncOptions?: SyncOptions) {
      checkOpen()
      return shared.sync(syncOptions)
    },

    async search(query, searchOptions) {
      checkOpen()
      checkText('search()', query, 'say what to look for', longestQuery)
      checkOptions('search()', searchOptions, ['limit', 'paths', 'exts', 'signal'])
      const { limit = 10, signal = closing.signal, ...filter } = searchOptions ?? {}
      const within = isNarrowed ? narrowed(filter, exts) : filter
      const hits = await generations.read(async ({ store, hasOurVectors }) => {
        const asked = { limit, filter: within, signal, staleFiles: await staleFilesOf(store), needsVectors }
        return searchStore(store, query, { ...asked, ...(hasOurVectors && { embedder }) })
      })
      return hits ?? []
    },

    async resolve(id) {
      checkOpen()
      checkText('resolve()', id, 'pass the `chunkId` of a citation')
      const [chunk] = (await generations.read(({ store }) => store.chunks([id]))) ?? []
      if (chunk && isAsked(chunk.file)) return chunk.quote
      const message = `There is no passage "${id}": its file has changed or is gone. Search again.`
      throw new AgentKitError('not-found', message)
    },

    async read(path, part) {
      checkOpen()
      checkText('read()', path, 'name a file, such as "handbook.pdf"', longestPath)
      checkOptions('read()', part, ['from', 'limit'])
      const file = plainPath(path)
      if (!isAsked(file)) return []
      return (await generations.read(({ store }) => store.chunksOf(file, part))) ?? []
    },

    async records() {
      checkOpen()
      return recordsNow()
    },

    async files() {
      checkOpen()
      const records = await recordsNow()
      // An agent that does not wait for the sync asks for them: its tools are to say what there is.
      rememberFiles(records)
      return records.filter(({ chunks }) => chunks > 0).map(({ file }) => file)
    },

    async verify() {
      checkOpen()
      return (await generations.read(({ store }) => store.verify())) ?? ['There is no index yet: sync makes it.']
    },

    tools() {
      known ??= { records: [], tools: retrievalTools(retriever, []) }
      return known.tools
    },

    watch({ signal, onSync, onError }) {
      checkOpen()
      const until = AbortSignal.any([signal, closing.signal])
      let last = ''
      let failure: string | undefined
      watchFolder(folder, {
        except: indexFolder,
        signal: until,
        async onChange() {
          try {
            const report = await retriever.sync({ signal: until })
            const { indexed, removed, skipped, warnings } = report
            const notes = JSON.stringify([skipped, warnings])
            if (indexed > 0 || removed > 0 || notes !== last) onSync?.(report)
            last = notes
            failure = undefined
          } catch (error) {
            // Of a folder that is gone for long it is told once.
            if (!until.aborted && failure !== String(error)) onError?.(error)
            failure = String(error)
          }
        },
      })
    },

    async tidied() {
      checkOpen()
      await tidying.settled()
    },

    async close() {
      if (!closing.signal.aborted) closing.abort(new AgentKitError('aborted', 'The retriever was closed.'))
      await shared.stop(closing.signal.reason)
      await tidying.stop()
      await pool.close()
      await generations.close()
    },
  }
  return retriever
}

/** Whether tools that know the one know the other: its files, their titles, and which can be read. */
function isSameSet(some: readonly FileRecord[], others: readonly FileRecord[]): boolean {
  if (some.length !== others.length) return false
  return some.every((one, index) => {
    const other = others[index]
    return one.file === other?.file && one.title === other.title && one.chunks > 0 === other.chunks > 0
  })
}

function closedError(): AgentKitError {
  return new AgentKitError('invalid-argument', 'The retriever is closed. Make a new one with createRetriever().')
}

function madeOf({ folder, indexPath, tool, embedder }: RetrieverSettings): GenerationOf {
  // Folder and index may be moved together, and are known by each other.
  const place = isRemote(indexPath) ? resolve(folder) : relative(resolve(indexPath), resolve(folder))
  return { folder: place.split(sep).join('/'), ...(embedder && { embedder: embedder.id }), place: [tool] }
}

/** A filter that keeps to the extensions that were asked for. */
function narrowed(filter: Filter, exts: ReadonlySet<string>): Filter {
  const whole = wholeFilter(filter)
  const wanted = whole === 'nothing' ? [] : (whole.exts?.filter((ext) => exts.has(ext)) ?? [...exts])
  return { ...filter, exts: wanted }
}
