import { basename } from 'node:path'
import { AgentKitError, type Passage } from '@agentkit/core'
import type { Chunk, Place } from './data/chunk.ts'
import type { Hit } from './data/cite.ts'
import { extOf } from './data/ext-of.ts'
import type { FileRecord } from './data/file-record.ts'
import { plainPath, spellingsOf } from './data/plain-path.ts'
import { type Filter, narrowedFilter } from './data/search-filter.ts'
import type { RetrieverSettings } from './options.ts'
import type { ParsePool } from './parse/pool/parse-pool.ts'
import { readPassage } from './read-passage.ts'
import { searchStore } from './search.ts'
import type { Store } from './store/store.ts'
import type { Generations } from './sync/generations.ts'
import type { KnownRecords } from './sync/known-records.ts'
import type { StaleFiles } from './sync/stale-files.ts'
import { tracedSearch } from './traced-search.ts'

type FolderIndexParts = {
  settings: RetrieverSettings
  generations: Generations
  pool: ParsePool
  staleFiles: StaleFiles
  knownRecords: KnownRecords
  /** Aborts when the retriever is closed. */
  closed: AbortSignal
}

type IndexSearch = {
  limit: number
  filter: Filter
  signal: AbortSignal
  onWarning: ((warning: string) => void) | undefined
}

/** Reads the index of a folder: passages and records of the selected files. */
export class FolderIndex {
  readonly #parts: FolderIndexParts

  constructor(parts: FolderIndexParts) {
    this.#parts = parts
  }

  search(query: string, { filter, ...search }: IndexSearch): Promise<Hit[]> {
    const { settings, generations, staleFiles } = this.#parts
    const { exts, embedder, folder } = settings
    const work = async (): Promise<Hit[]> => {
      const hits = await generations.read(async ({ store, hasOurVectors }) =>
        searchStore(store, query, {
          ...search,
          filter: settings.isNarrowed ? narrowedFilter(filter, exts) : filter,
          staleFiles: await staleFiles.of(store),
          needsVectors: needsVectors(settings),
          ...(hasOurVectors && { embedder }),
        }),
      )
      return hits ?? []
    }
    return tracedSearch({ source: basename(folder), query, limit: search.limit }, work)
  }

  async quote(id: string): Promise<string> {
    const chunk = await this.#parts.generations.read(({ store }) => this.#chunkOf(store, id))
    if (chunk) return chunk.quote
    throw noPassage(id)
  }

  async passage(id: string, context: number): Promise<Passage> {
    const { settings, generations, pool, closed: signal } = this.#parts
    const { folder, maxFileBytes } = settings
    const passage = await generations.read(async ({ store }) =>
      readPassage(store, await this.#chunkOf(store, id), { folder, pool, context, maxFileBytes, signal }),
    )
    if (passage) return passage
    throw noPassage(id)
  }

  read(path: string, part: { from?: number; limit?: number } | undefined): Promise<Chunk[]> {
    return this.#ofFile(path, (store, file) => store.chunksOf(file, part))
  }

  /** The places of a file's passages, in order; empty for an unknown file. */
  places(path: string): Promise<Place[]> {
    return this.#ofFile(path, (store, file) => store.placesOf(file))
  }

  async chunks(ids: readonly string[]): Promise<Chunk[]> {
    const chunks = await this.#parts.generations.read(({ store }) => store.chunks(ids))
    return (chunks ?? []).filter(({ file }) => this.#isSelected(file))
  }

  async records(): Promise<FileRecord[]> {
    const { generations, knownRecords } = this.#parts
    const records = (await generations.read(({ store }) => knownRecords.of(store))) ?? []
    const selected = records.filter(({ file }) => this.#isSelected(file))
    // Copies: callers may change theirs.
    return selected.map((record) => ({ ...record })).sort((one, other) => (one.file < other.file ? -1 : 1))
  }

  async isStale(file: string): Promise<boolean> {
    const { generations, staleFiles } = this.#parts
    return (await generations.read(async ({ store }) => (await staleFiles.of(store)).has(file))) ?? false
  }

  async verify(): Promise<string[]> {
    const problems = await this.#parts.generations.read(({ store }) => store.verify())
    return problems ?? ['There is no index yet: sync makes it.']
  }

  async #ofFile<Item>(path: string, read: (store: Store, file: string) => Promise<Item[]>): Promise<Item[]> {
    const file = plainPath(path)
    if (!this.#isSelected(file)) return []
    const items = await this.#parts.generations.read(async ({ store }) => {
      for (const spelling of spellingsOf(file)) {
        const found = await read(store, spelling)
        if (found.length > 0) return found
      }
      return []
    })
    return items ?? []
  }

  async #chunkOf(store: Store, id: string): Promise<Chunk> {
    const [chunk] = await store.chunks([id])
    if (chunk && this.#isSelected(chunk.file)) return chunk
    throw noPassage(id)
  }

  #isSelected(file: string): boolean {
    return this.#parts.settings.exts.has(extOf(file))
  }
}

/** Whether the index has only vectors: its embedder is used even when it was measured as useless. */
export function needsVectors({ tool }: RetrieverSettings): boolean {
  return tool.startsWith('cloudindex-')
}

function noPassage(id: string): AgentKitError {
  const message = `There is no passage "${id}": its file has changed or is gone. Search again.`
  return new AgentKitError('not-found', message)
}
