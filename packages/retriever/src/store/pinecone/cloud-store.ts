import type { RetryOptions } from '@agentkit/core'
import { abortError } from '@agentkit/core/internal'
import type { NewChunk } from '../../data/chunk.ts'
import { isSliced, slicesOf } from '../../data/chunk-slices.ts'
import { slices } from '../../util/in-parallel.ts'
import { timeSlices } from '../../util/time-slices.ts'
import { yieldToOthers } from '../../util/yield-to-others.ts'
import type { Change, Found, Store } from '../store.ts'
import type { CloudLedger, LedgerRow } from './cloud-ledger.ts'
import { passes, pineconeFilter } from './pinecone-filter.ts'
import { hasDirection, type VectorRow } from './pinecone-records.ts'
import type { PineconeVectors } from './pinecone-vectors.ts'
import { restoreLostVectors } from './restore-lost-vectors.ts'
import { verifyVectors } from './verify-vectors.ts'

export type CloudStoreParts = {
  /** Records, chunks and words on this machine, without vectors. */
  local: Store
  vectors: PineconeVectors
  /** The record of the vectors that were sent to the cloud for this generation. */
  ledger: CloudLedger
  /** Absent: opened for words only. */
  dimensions?: number | undefined
  /** How long to wait before Pinecone's count is requested again. */
  pollMs: number
  /** Aborts work without a signal of its own, when the space is closed. */
  closing: AbortSignal
  /** More maintenance, under the lock. */
  maintainSpace(signal: AbortSignal): Promise<void>
}

/** The largest number of hits that Pinecone returns. */
const largestAnswer = 10_000

/**
 * A store with its vectors in the cloud.
 *
 * The local store is authoritative. A vector is sent before its chunk is written here, and removed after its chunk is
 * deleted; in between the ledger has it. So each chunk has its vector, and a vector without a chunk is ignored by
 * searches and removed by the next change.
 */
export function createCloudStore(parts: CloudStoreParts): Store {
  const { local, vectors, ledger, dimensions, pollMs, closing, maintainSpace } = parts
  /** The losses of the index when lost vectors were searched last: once for each, as it costs a request. */
  let searchedAt: number | undefined

  /** Settles pending vectors: each belongs to a chunk, or is removed. */
  async function settlePending(signal: AbortSignal, retry?: RetryOptions): Promise<void> {
    for (let ids = ledger.inQuestion(1000); ids.length > 0; ids = ledger.inQuestion(1000)) {
      const known = new Set((await local.chunks(ids)).map(({ id }) => id))
      const gone = ids.filter((id) => !known.has(id))
      await vectors.remove(gone, signal, retry)
      await ledger.forget(gone)
      await ledger.settle([...known])
    }
  }

  async function vectorsAt(ids: readonly string[]): Promise<Map<string, Float32Array>> {
    return dimensions === undefined ? new Map() : vectors.fetch(ids, closing)
  }

  return {
    version: () => local.version(),
    files: (which) => local.files(which),
    searchText: (query, options) => local.searchText(query, options),
    chunks: (ids) => local.chunks(ids),
    chunksOf: (file, options) => local.chunksOf(file, options),
    placesOf: (file) => local.placesOf(file),
    count: () => local.count(),
    meta: () => local.meta(),
    setMeta: (meta) => local.setMeta(meta),
    close: () => local.close(),

    async apply(change, signal) {
      if (signal.aborted) throw abortError(signal)
      const sent: string[] = []
      const outdated: LedgerRow[] = []
      for await (const added of additions(change, ledger, dimensions !== undefined, outdated)) {
        await ledger.question(added)
        await vectors.upsert(added, signal)
        for (const { id } of added) sent.push(id)
      }
      await ledger.question(outdated)
      await local.apply(withoutVectors(change), signal)
      await ledger.settle(sent)
      // The change is complete. Vectors that could not be removed stay in the ledger for the next change.
      await settlePending(signal, { attempts: 2 }).catch(() => undefined)
    },

    async searchVector(vector, { limit, filter }) {
      if (dimensions === undefined || ledger.isEmpty() || limit <= 0 || !hasDirection(vector)) return []
      const passing = pineconeFilter(filter)
      // More hits than requested: some of them may be unknown here.
      for (let topK = limit + Math.max(16, limit >> 2); ; topK *= 4) {
        const asked = Math.min(topK, largestAnswer)
        const answer = await vectors.query(vector, { topK: asked, filter: passing }, closing)
        const found = await knownOf(answer, local, ({ file }) => passes(file, filter))
        const isAll = answer.length < asked || asked === largestAnswer
        if (found.length >= limit || isAll) return found.slice(0, limit)
      }
    },

    async vectorsOf(textHashes) {
      const ids = await ledger.byText(textHashes)
      const found = await vectorsAt([...ids.values()])
      const byText = [...ids].map(([textHash, id]) => [textHash, found.get(id)] as const)
      return new Map(byText.filter((pair): pair is readonly [string, Float32Array] => pair[1] !== undefined))
    },

    async sample(count) {
      const chunks = await local.sample(count)
      const found = await vectorsAt(await ledger.known(chunks.map(({ id }) => id)))
      return chunks.map((chunk) => {
        const vector = found.get(chunk.id)
        return vector ? { ...chunk, vector } : chunk
      })
    },

    async repair(signal) {
      if (searchedAt === vectors.losses || dimensions === undefined) return
      await restoreLostVectors({ local, vectors, ledger }, pollMs, signal)
      searchedAt = vectors.losses
    },

    async maintain(signal) {
      await local.maintain(signal)
      await settlePending(signal)
      await maintainSpace(signal)
    },

    async verify() {
      // The caller may have noticed missing vectors.
      searchedAt = undefined
      const problems = await local.verify()
      if (dimensions !== undefined) problems.push(...(await verifyVectors({ local, vectors, ledger }, pollMs, closing)))
      return problems
    },
  }
}

/** The number of vectors that are sent before the next ones of a large file are read. */
const sentAtOnce = 1000

/**
 * The vectors that the change adds, all at once except for large files; and, in `outdated`, vectors of these files in
 * the cloud that they no longer contain.
 */
async function* additions(
  { changed, removed }: Change,
  ledger: CloudLedger,
  hasVectors: boolean,
  outdated: LedgerRow[],
): AsyncGenerator<VectorRow[]> {
  let added: VectorRow[] = []
  const slice = timeSlices()
  for (const { record, chunks } of changed) {
    if (chunks === 'keep') continue
    const known = new Map(ledger.ofFile(record.file).map((row) => [row.id, row]))
    for await (const some of slicesOf(chunks, { vectors: hasVectors })) {
      for (const { id, file, textHash, vector } of some) {
        // Pinecone refuses vectors without a direction; they are near to nothing.
        const isThere = hasVectors && vector && hasDirection(vector)
        if (isThere && !known.get(id)?.isSettled) added.push({ id, file, textHash, vector })
        if (isThere) known.delete(id)
        if (slice.isOver) await slice.next()
      }
      if (!isSliced(chunks) || added.length < sentAtOnce) continue
      yield added
      added = []
    }
    for (const row of known.values()) outdated.push(row)
  }
  for (const file of removed) {
    for (const row of ledger.ofFile(file)) outdated.push(row)
    if (slice.isOver) await slice.next()
  }
  yield added
}

function withoutVectors({ changed, removed }: Change): Change {
  const without = ({ vector: _vector, ...chunk }: NewChunk): NewChunk => chunk
  return {
    changed: changed.map(({ record, chunks }) => ({
      record,
      // Chunks of large files have no vectors, unless they are requested.
      chunks: chunks === 'keep' || isSliced(chunks) ? chunks : chunks.map(without),
    })),
    removed,
  }
}

async function knownOf(
  answer: readonly Found[],
  local: Store,
  isWanted: (chunk: { file: string }) => boolean,
): Promise<Found[]> {
  const known = new Set<string>()
  for (const some of slices(answer, 1000)) {
    for (const chunk of await local.chunks(some.map(({ id }) => id))) if (isWanted(chunk)) known.add(chunk.id)
    await yieldToOthers()
  }
  return answer.filter(({ id }) => known.has(id))
}
