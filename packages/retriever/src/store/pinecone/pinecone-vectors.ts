import { isAgentKitError, type RetryOptions } from '@agentkit/core'
import type { Index, ScoredPineconeRecord } from '@pinecone-database/pinecone'
import { inParallel, slices } from '../../util/in-parallel.ts'
import { yieldToOthers } from '../../util/yield-to-others.ts'
import type { Found } from '../store.ts'
import type { PineconeClient } from './pinecone-client.ts'
import { type ConnectOptions, type PineconePlace, unless } from './pinecone-index.ts'
import { fetchSize, toRecord, upsertBatches, type VectorRow } from './pinecone-records.ts'
import { within } from './within.ts'

/** The vectors in one namespace of a Pinecone index. */
export interface PineconeVectors {
  /** Adds or replaces vectors. After a failure, any of them may have been written. */
  upsert(rows: readonly VectorRow[], signal: AbortSignal): Promise<void>
  /** The vectors that exist. */
  fetch(ids: readonly string[], signal: AbortSignal): Promise<Map<string, Float32Array>>
  /** The nearest vectors, the best first; the score is the cosine. */
  query(
    vector: Float32Array,
    options: { topK: number; filter: object | undefined },
    signal: AbortSignal,
  ): Promise<Found[]>
  /**
   * Deletes vectors; missing ones are ignored.
   * @throws AgentKitError `not-found` for a namespace that Pinecone does not show yet
   */
  remove(ids: readonly string[], signal: AbortSignal, retry?: RetryOptions): Promise<void>
  removeAll(signal: AbortSignal): Promise<void>
  /** Pinecone's count, which lags behind writes. `mayCreate`: a missing index is created, where that is allowed. */
  count(signal: AbortSignal, mayCreate?: boolean): Promise<number>
  /** How often the index was gone: all vectors that were sent before may be lost. */
  readonly losses: number
}

/** How to reach the index. */
export type PineconeConnection = {
  /** Finds the index; called before each request. */
  connect(signal: AbortSignal, options?: ConnectOptions): Promise<PineconePlace>
  /** The place that was found has no index any more. */
  forget(): void
}

/** A user is waiting: words alone are better than hits after the time limit of the tool. */
const searchRetry: RetryOptions = { attempts: 3, firstWaitMs: 200, longestWaitMs: 1000, longestRetryAfterMs: 3000 }
const width = 4

/** @param searchWithinMs the limit of a search, with its retries */
export function pineconeVectors(
  client: PineconeClient,
  { connect, forget }: PineconeConnection,
  namespace: string,
  searchWithinMs: number,
): PineconeVectors {
  let losses = 0
  /** Whether vectors were sent, and no answer has shown their namespace since: a new namespace is not there at once. */
  let isAwaited = false

  async function call<Value>(
    signal: AbortSignal,
    request: (index: Index) => Promise<Value>,
    { retry, ...how }: ConnectOptions = {},
  ): Promise<Value> {
    const { host } = await connect(signal, { ...how, ...(retry && { retry }) })
    return client.call(signal, (pinecone) => request(pinecone.index({ host, namespace })), retry)
  }

  /** A request that Pinecone answers unless the index itself is gone. It may have been created again at another address. */
  async function callIndex<Value>(
    signal: AbortSignal,
    request: (index: Index) => Promise<Value>,
    options: ConnectOptions = {},
  ): Promise<Value> {
    try {
      return await call(signal, request, options)
    } catch (error) {
      if (!isAgentKitError(error) || error.status !== 404) throw error
      losses++
      isAwaited = false
      forget()
      return call(signal, request, { mayCreate: false, ...options })
    }
  }

  return {
    get losses() {
      return losses
    },

    async upsert(rows, signal) {
      if (rows.length === 0) return
      // Once, as it may create the index.
      await connect(signal)
      let turn = Promise.resolve()
      await inParallel(upsertBatches(rows), width, signal, async (batch, ended) => {
        // Requests wait in parallel, but are serialized one after the other, with yields in between.
        turn = turn.then(yieldToOthers)
        await turn
        const records = batch.map(toRecord)
        turn = turn.then(yieldToOthers)
        await turn
        await callIndex(ended, (index) => index.upsert({ records }))
        isAwaited = true
      })
    },

    async fetch(ids, signal) {
      const found = new Map<string, Float32Array>()
      if (ids.length === 0) return found
      const { dimension } = await connect(signal, { mayCreate: false })
      await inParallel(slices(ids, fetchSize(dimension)), width, signal, async (some, ended) => {
        const { records } = await callIndex(ended, (index) => index.fetch({ ids: some }), { mayCreate: false })
        for (const [id, { values }] of Object.entries(records)) {
          if (values && values.length > 0) found.set(id, Float32Array.from(values))
        }
        if (found.size > 0) isAwaited = false
      })
      return found
    },

    async query(vector, { topK, filter }, signal) {
      const question = { vector: Array.from(vector), topK, includeValues: false, includeMetadata: false }
      const options = { mayCreate: false, retry: searchRetry }
      const { matches, metric } = await within(searchWithinMs, signal, async (limited) => {
        const { metric } = await connect(limited, options)
        const query = (index: Index) => index.query({ ...question, ...(filter && { filter }) })
        return { ...(await callIndex(limited, query, options)), metric }
      })
      if (matches.length > 0) isAwaited = false
      return matches.map((match) => ({ id: match.id, score: cosineOf(match, metric) }))
    },

    async remove(ids, signal, retry) {
      await inParallel(slices(ids, 1000), width, signal, async (some, ended) => {
        const request = call(ended, (index) => index.deleteMany({ ids: some }), retry && { retry })
        // A namespace without vectors is not found, and neither is a new one for some seconds.
        if (isAwaited) await request
        else await unless('not-found', request)
        isAwaited = false
      })
    },

    async removeAll(signal) {
      await unless(
        'not-found',
        call(signal, (index) => index.deleteAll()),
      )
    },

    async count(signal, mayCreate = false) {
      const { namespaces = {} } = await callIndex(signal, (index) => index.describeIndexStats(), { mayCreate })
      const { recordCount = 0 } = namespaces[namespace] ?? {}
      if (recordCount > 0) isAwaited = false
      return recordCount
    },
  }
}

/** Vectors have length 1. Pinecone's euclidean score is the squared distance. */
function cosineOf({ score = 0 }: ScoredPineconeRecord, metric: PineconePlace['metric']): number {
  return metric === 'euclidean' ? 1 - score / 2 : score
}
