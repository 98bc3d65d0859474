import { AgentKitError, abortError, type Embedder, type RetryOptions } from '@agentkit/core'
import type { Filter, Found, Store } from '../store/store.ts'
import { DimensionsError } from '../sync/embed-texts.ts'
import { embedderError } from '../sync/embedder-error.ts'
import { embedAll } from './embed-all.ts'
import { isOffline, unknownTrust, wordsOnlyTrust } from './trust.ts'

/** What vectors find for a query. */
export type Meaning = {
  found: Found[]
  /** Of the embedder: see `measureTrust`. */
  trust: number
  /** Why there is nothing although there is an embedder. */
  problem?: AgentKitError
}

/** Somebody waits, and words can answer: it is not tried for as long as in a sync. */
const retry: RetryOptions = { attempts: 3, firstWaitMs: 200, longestWaitMs: 1000, longestRetryAfterMs: 3000 }
const patienceMs = 20_000

/**
 * Finds what means the same as a query. An embedder that only knows words, or is not the one of the index, is not asked.
 *
 * A failure is told, not thrown: words can answer too. Only the signal's end is thrown.
 */
export async function findByMeaning(
  store: Store,
  query: string,
  {
    embedder,
    limit,
    filter,
    signal,
  }: { embedder: Embedder | undefined; limit: number; filter: Filter; signal: AbortSignal },
): Promise<Meaning> {
  if (!embedder || isOffline(embedder)) return { found: [], trust: unknownTrust }
  const meta = await store.meta()
  const trust = meta.trust ?? unknownTrust
  const isAnother = meta.embedder !== undefined && meta.embedder !== embedder.id
  if (isAnother || trust === wordsOnlyTrust) return { found: [], trust }
  try {
    const vector = await embedQuery(embedder, query, signal)
    // That of a query without words, say.
    if (!vector) return { found: [], trust }
    // A sync would fail for the same.
    if (embedder.dimensions !== undefined && vector.length !== embedder.dimensions) {
      throw new DimensionsError(embedder.id, embedder.dimensions, vector.length)
    }
    if (meta.dimensions !== undefined && vector.length !== meta.dimensions) {
      const message = `made a vector of ${vector.length} numbers where the index has ${meta.dimensions}. Sync again.`
      throw new AgentKitError('invalid-config', `The embedder ${embedder.id} ${message}`)
    }
    return { found: await store.searchVector(vector, { limit, filter }), trust }
  } catch (error) {
    if (signal.aborted) throw abortError(signal)
    return { found: [], trust, problem: embedderError(embedder, error) }
  }
}

async function embedQuery(embedder: Embedder, query: string, signal: AbortSignal): Promise<Float32Array | undefined> {
  const patient = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  const [vector] = await embedAll(embedder, [query], 'query', patient, retry)
  return vector
}
