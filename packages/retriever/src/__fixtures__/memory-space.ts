import { abortError } from '@agentkit/core/internal'
import type { Chunk, NewChunk } from '../data/chunk.ts'
import type { FileRecord } from '../data/file-record.ts'
import { slicesOf } from '../data/chunk-slices.ts'
import { passes } from '../data/search-filter.ts'
import type { Change, Store, StoreMeta, StoreSpace } from '../store/store.ts'

type Generation = {
  version: number
  records: Map<string, FileRecord>
  chunks: Map<string, readonly NewChunk[]>
  meta: StoreMeta
}

/** A space in memory that tests can inspect. */
export interface MemorySpace extends StoreSpace {
  /** Every change that was applied, in order. */
  readonly applied: Change[]
  /** How often the records of all files were read. */
  readonly listed: number
  /** Stores that are open. */
  readonly opened: ReadonlySet<string>
  /** Called before each change: may throw, or wait. */
  beforeApply: (change: Change) => Promise<void> | void
}

/** A space that keeps all in memory. Its text search finds chunks that contain the query. */
export function memorySpace(): MemorySpace {
  const all = new Map<string, Generation>()
  const applied: Change[] = []
  const openNow = new Set<string>()
  let listed = 0
  const space: MemorySpace = {
    applied,
    get listed() {
      return listed
    },
    opened: openNow,
    beforeApply: () => {},
    generations: async () => [...all.keys()],
    async open(name) {
      const generation = all.get(name) ?? { version: 1, records: new Map(), chunks: new Map(), meta: {} }
      all.set(name, generation)
      openNow.add(name)
      return memoryStore(generation, {
        async apply(change, signal) {
          await space.beforeApply(change)
          if (signal.aborted) throw abortError(signal)
          applied.push(change)
        },
        list: () => void listed++,
        close: () => void openNow.delete(name),
      })
    },
    async drop(name) {
      if (openNow.has(name)) throw new Error(`${name} is open.`)
      all.delete(name)
    },
    async close() {},
  }
  return space
}

function memoryStore(
  generation: Generation,
  on: { apply(change: Change, signal: AbortSignal): Promise<void>; list(): void; close(): void },
): Store {
  const { records, chunks } = generation
  const everything = (): NewChunk[] => [...chunks.values()].flat()
  let isOpen = true
  const checkOpen = (): void => {
    if (!isOpen) throw new Error('The store is closed.')
  }
  return {
    version: async () => String(generation.version),
    async files({ file, stale } = {}) {
      checkOpen()
      if (file === undefined && !stale) on.list()
      const all = [...records.values()]
      return all.filter((record) => (file === undefined || record.file === file) && (!stale || record.stale))
    },
    async apply(change, signal) {
      checkOpen()
      await on.apply(change, signal)
      for (const { record, chunks: given } of change.changed) {
        records.set(record.file, record)
        if (given === 'keep') continue
        const all: NewChunk[] = []
        for await (const slice of slicesOf(given, { vectors: true })) all.push(...slice)
        chunks.set(record.file, all)
      }
      for (const file of change.removed) {
        records.delete(file)
        chunks.delete(file)
      }
      generation.version++
    },
    async searchText(query, { limit, filter }) {
      checkOpen()
      const found = everything().filter(
        ({ file, quote }) => quote.toLowerCase().includes(query.toLowerCase()) && passes(filter, file),
      )
      return found.slice(0, limit).map(({ id }) => ({ id, score: 1 }))
    },
    async searchVector(vector, { limit }) {
      checkOpen()
      const scored = everything().flatMap(({ id, vector: own }) =>
        own ? [{ id, score: own.reduce((sum, number, index) => sum + number * (vector[index] ?? 0), 0) }] : [],
      )
      return scored.sort((one, other) => other.score - one.score).slice(0, limit)
    },
    async chunks(ids) {
      checkOpen()
      const byId = new Map(everything().map((chunk) => [chunk.id, chunk]))
      return ids.flatMap((id) => byId.get(id) ?? []).map(plain)
    },
    chunksOf: async (file, { from = 0, limit = 1e9 } = {}) =>
      (chunks.get(file) ?? []).slice(from, from + limit).map(plain),
    placesOf: async (file) =>
      (chunks.get(file) ?? []).map(({ id, start, end, heading }) => {
        return { id, file, start, end, ...(heading !== undefined && { heading }) }
      }),
    async vectorsOf(textHashes) {
      checkOpen()
      const wanted = new Set(textHashes)
      return new Map(
        everything().flatMap(({ textHash, vector }) => (vector && wanted.has(textHash) ? [[textHash, vector]] : [])),
      )
    },
    sample: async (count) => everything().slice(0, count),
    count: async () => everything().length,
    meta: async () => generation.meta,
    setMeta: async (meta) => {
      generation.meta = meta
      generation.version++
    },
    maintain: async () => {},
    verify: async () => [],
    async close() {
      isOpen = false
      on.close()
    },
  }
}

function plain({ vector: _vector, ...chunk }: NewChunk): Chunk {
  return chunk
}
