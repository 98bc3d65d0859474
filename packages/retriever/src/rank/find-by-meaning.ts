import { AgentKitError, type Embedder, isAgentKitError, type RetryOptions } from '@agentkit/core'
import { abortError } from '@agentkit/core/internal'
import type { Filter } from '../data/search-filter.ts'
import { DimensionsError } from '../embed/embed-texts.ts'
import type { Found, Store } from '../store/store.ts'
import { embedderError } from '../util/embedder-error.ts'
import { embedAll } from './embed-all.ts'
import { isOffline, unknownTrust, wordsOnlyTrust } from './trust.ts'

/** The vector of a query, and the trust in it. */
export type Meaning = {
  /** Absent: no vector search. */
  vector?: Float32Array
  /** The trust in the embedder: see `measureTrust`. */
  trust: number
  /** Why there is no vector although there is an embedder. */
  problem?: AgentKitError
}

export type MeaningOptions = {
  embedder: Embedder | undefined
  /** Whether an embedder that was measured as useless is used too. */
  needsVectors?: boolean | undefined
  signal: AbortSignal
}

/** A user is waiting, and text search can answer: fewer retries than in a sync. */
const retry: RetryOptions = { attempts: 3, firstWaitMs: 200, longestWaitMs: 1000, longestRetryAfterMs: 3000 }
const embedTimeoutMs = 20_000

/**
 * The vector of a query. An embedder that matches words only, or is not the index's own, is not called.
 *
 * A failure is returned, not thrown, because text search can answer too. Only an abort is thrown.
 */
export async function meaningOf(
  store: Store,
  query: string,
  { embedder, needsVectors = false, signal }: MeaningOptions,
): Promise<Meaning> {
  if (!embedder || isOffline(embedder)) return { trust: unknownTrust }
  const meta = await store.meta()
  const trust = meta.trust ?? unknownTrust
  const isAnother = meta.embedder !== undefined && meta.embedder !== embedder.id
  if (isAnother || (trust === wordsOnlyTrust && !needsVectors)) return { trust }
  try {
    const vector = await embedQuery(embedder, query, signal)
    // For example, the vector of a query without words.
    if (!vector) return { trust }
    // A sync would fail with the same error.
    if (embedder.dimensions !== undefined && vector.length !== embedder.dimensions) {
      throw new DimensionsError(embedder.id, embedder.dimensions, vector.length)
    }
    if (meta.dimensions !== undefined && vector.length !== meta.dimensions) {
      const message = `made a vector of ${vector.length} numbers where the index has ${meta.dimensions}. Sync again.`
      throw new AgentKitError('invalid-config', `The embedder ${embedder.id} ${message}`)
    }
    return { vector, trust }
  } catch (error) {
    if (signal.aborted) throw abortError(signal)
    return { trust, problem: embedderError(embedder, error) }
  }
}

/** The hits of the vector search for a query. */
export type Near = { found: Found[]; trust: number; problem?: AgentKitError | undefined }

/** Searches by vector. A failure is returned, not thrown: see {@link meaningOf}. */
export async function findByMeaning(
  store: Store,
  { vector, trust, problem }: Meaning,
  { limit, filter, signal }: { limit: number; filter: Filter; signal: AbortSignal },
): Promise<Near> {
  if (!vector) return { found: [], trust, problem }
  try {
    return { found: await store.searchVector(vector, { limit, filter }), trust }
  } catch (error) {
    if (signal.aborted) throw abortError(signal)
    if (!isAgentKitError(error)) throw error
    return { found: [], trust, problem: error }
  }
}

async function embedQuery(embedder: Embedder, query: string, signal: AbortSignal): Promise<Float32Array | undefined> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(embedTimeoutMs)])
  const [vector] = await embedAll(embedder, [query], 'query', bounded, retry)
  return vector
}
