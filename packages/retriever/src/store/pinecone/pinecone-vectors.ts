import type { RetryOptions } from '@agentkit/core'
import type { Index, ScoredPineconeRecord } from '@pinecone-database/pinecone'
import { inParallel, slices } from '../../util/in-parallel.ts'
import { yieldToOthers } from '../../util/yield-to-others.ts'
import type { Found } from '../store.ts'
import type { PineconeClient } from './pinecone-client.ts'
import { type PineconePlace, unless } from './pinecone-index.ts'
import { fetchSize, toRecord, upsertBatches, type VectorRow } from './pinecone-records.ts'

/** The vectors in one namespace of a Pinecone index. */
export interface PineconeVectors {
  /** Adds or replaces them. When it fails, any of them may be there. */
  upsert(rows: readonly VectorRow[], signal: AbortSignal): Promise<void>
  /** Those that are there. */
  fetch(ids: readonly string[], signal: AbortSignal): Promise<Map<string, Float32Array>>
  /** The nearest, the best first; the score is the cosine. */
  query(
    vector: Float32Array,
    options: { topK: number; filter: object | undefined },
    signal: AbortSignal,
  ): Promise<Found[]>
  /** Forgets them, also such as are not there. */
  remove(ids: readonly string[], signal: AbortSignal, retry?: RetryOptions): Promise<void>
  removeAll(signal: AbortSignal): Promise<void>
  /** How many Pinecone has counted. It counts behind what it has been told. */
  count(signal: AbortSignal): Promise<number>
}

/** Somebody waits for the answer to a question: better none of this kind than one after a minute. */
const searchRetry: RetryOptions = { attempts: 3 }
const width = 4

/** @param connect finds the index; called before each request */
export function pineconeVectors(
  client: PineconeClient,
  connect: (signal: AbortSignal) => Promise<PineconePlace>,
  namespace: string,
): PineconeVectors {
  async function call<Value>(
    signal: AbortSignal,
    request: (index: Index) => Promise<Value>,
    retry?: RetryOptions,
  ): Promise<Value> {
    const { host } = await connect(signal)
    return client.call(signal, (pinecone) => request(pinecone.index({ host, namespace })), retry)
  }

  return {
    async upsert(rows, signal) {
      if (rows.length === 0) return
      // Once, as it may have to be made.
      await connect(signal)
      let turn = Promise.resolve()
      await inParallel(upsertBatches(rows), width, signal, async (batch, ended) => {
        // Side by side they wait for answers, but they are made one after the other, with others in between.
        turn = turn.then(yieldToOthers)
        await turn
        const records = batch.map(toRecord)
        turn = turn.then(yieldToOthers)
        await turn
        await call(ended, (index) => index.upsert({ records }))
      })
    },

    async fetch(ids, signal) {
      const found = new Map<string, Float32Array>()
      if (ids.length === 0) return found
      const { dimension } = await connect(signal)
      await inParallel(slices(ids, fetchSize(dimension)), width, signal, async (some, ended) => {
        const { records } = await call(ended, (index) => index.fetch({ ids: some }))
        for (const [id, { values }] of Object.entries(records)) {
          if (values && values.length > 0) found.set(id, Float32Array.from(values))
        }
      })
      return found
    },

    async query(vector, { topK, filter }, signal) {
      const { metric } = await connect(signal)
      const question = { vector: Array.from(vector), topK, includeValues: false, includeMetadata: false }
      const { matches } = await call(
        signal,
        (index) => index.query({ ...question, ...(filter && { filter }) }),
        searchRetry,
      )
      return matches.map((match) => ({ id: match.id, score: cosineOf(match, metric) }))
    },

    async remove(ids, signal, retry) {
      // A namespace that holds nothing is none, and not found.
      await inParallel(slices(ids, 1000), width, signal, async (some, ended) => {
        await unless(
          'not-found',
          call(ended, (index) => index.deleteMany({ ids: some }), retry),
        )
      })
    },

    async removeAll(signal) {
      await unless(
        'not-found',
        call(signal, (index) => index.deleteAll()),
      )
    },

    async count(signal) {
      const { namespaces = {} } = await call(signal, (index) => index.describeIndexStats())
      return namespaces[namespace]?.recordCount ?? 0
    },
  }
}

/** Vectors are of length 1. Pinecone's euclidean score is the square of the distance. */
function cosineOf({ score = 0 }: ScoredPineconeRecord, metric: PineconePlace['metric']): number {
  return metric === 'euclidean' ? 1 - score / 2 : score
}
