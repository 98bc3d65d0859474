import { abortError } from '@agentkit/core/internal'
import type { Store } from '../store.ts'
import { applyInProcess, isForProcess, WriterProcess } from '../write-in-process.ts'
import { applyChange } from './lance-apply.ts'
import { knownFilter } from './lance-filter.ts'
import { readChunks, readChunksOf, readFiles, readPlacesOf, readSample, readVectors } from './lance-lookup.ts'
import { isMuchToMaintain, maintainTable } from './lance-maintain.ts'
import { readMeta, writeMeta } from './lance-meta.ts'
import { searchText, searchVector } from './lance-search.ts'
import { areChunks, type LanceTable } from './lance-table.ts'
import { indexManyRows } from './lance-text-index.ts'
import { verifyTable } from './lance-verify.ts'
import { readVersion } from './lance-version.ts'

/** A generation in a table of LanceDB. */
export function lanceStore(at: LanceTable): Store {
  const read = <Value>(work: () => Promise<Value>): Promise<Value> => at.guard('read the index', work)
  return {
    version: () => read(() => readVersion(at)),
    files: (which) => read(() => readFiles(at, which)),
    apply: (change, signal) =>
      isForProcess(change) ? applyInProcess(at.address, change, signal) : applyChange(at, change, signal),
    searchText: (query, options) =>
      read(async () => searchText(at, query, { ...options, filter: await knownFilter(at, options.filter) })),
    searchVector: (vector, options) =>
      read(async () => searchVector(at, vector, { ...options, filter: await knownFilter(at, options.filter) })),
    chunks: (ids) => read(() => readChunks(at, ids)),
    chunksOf: (file, options) => read(() => readChunksOf(at, file, options)),
    placesOf: (file) => read(() => readPlacesOf(at, file)),
    vectorsOf: (textHashes) => read(() => readVectors(at, textHashes)),
    sample: (count) => read(() => readSample(at, count)),
    count: () => read(() => at.table.countRows(areChunks)),
    indexNow: () => indexManyRows(at),
    openWriter: () => new WriterProcess(at.address),
    async meta() {
      const { vectorIndex: _ours, ...meta } = await read(() => readMeta(at))
      return meta
    },
    async setMeta(meta) {
      await writeMeta(at, { ...(await read(() => readMeta(at))), ...meta })
      // Searches begin.
      if (meta.completedAt !== undefined) await indexManyRows(at)
    },
    async maintain(signal) {
      if (signal.aborted) throw abortError(signal)
      if (await isMuchToMaintain(at)) await new WriterProcess(at.address).maintain(signal)
      // What is left.
      await maintainTable(at, signal)
    },
    maintainHere: (signal) => maintainTable(at, signal),
    verify: () => verifyTable(at),
    async close() {
      at.table.close()
    },
  }
}
