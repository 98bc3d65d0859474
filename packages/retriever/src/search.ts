import type { Embedder } from '@agentkit/core'
import { abortError, redactSecrets } from '@agentkit/core/internal'
import { type Chunk, searchedText } from './data/chunk.ts'
import { type Hit, toCitation } from './data/cite.ts'
import { type Filter, wholeFilter } from './data/search-filter.ts'
import { trustByAgreement } from './rank/agreement.ts'
import { findByMeaning, meaningOf, type Near } from './rank/find-by-meaning.ts'
import { type Fused, fuse } from './rank/fuse.ts'
import { liftSections } from './rank/lift-sections.ts'
import { spread } from './rank/spread.ts'
import { isOffline, unknownTrust } from './rank/trust.ts'
import type { Found, Store } from './store/store.ts'

export type SearchStoreOptions = {
  /** From 1 on; above 1,000 it is 1,000. */
  limit: number
  /** Extensions with or without the dot, in any case; paths of files, or of folders ending in `/`. */
  filter: Filter
  /** Absent: words only. An embedder other than the index's own is not called. */
  embedder?: Embedder | undefined
  /** Whether an embedder that was measured as useless is called too. */
  needsVectors?: boolean | undefined
  signal: AbortSignal
  /** Files whose chunks are of an earlier version. */
  staleFiles?: ReadonlySet<string> | undefined
  /** Called with the reason when a search uses only words although there is an embedder. */
  onWarning?: ((warning: string) => void) | undefined
}

const mostHits = 1000
/** Each list is longer than the result: the top of one may be far down in the other. */
const poolOf = (limit: number): number => Math.max(100, limit * 4)
/** Somewhat more chunks than the result are read, for their sections and files. */
const readOf = (limit: number): number => limit + 40
/** The number of retries: while another process writes continuously, a tenth of the attempts meets a change. */
const mostAttempts = 10

/**
 * Searches by words and by meaning, the best hits first.
 *
 * The weight of the embedder is the measured trust: see `measureTrust`. When it fails, only words are used. When they
 * find nothing either, similar and incomplete words are searched too.
 *
 * @param query not empty
 * @throws AgentKitError the embedder's error when words find nothing either
 */
export async function searchStore(store: Store, query: string, options: SearchStoreOptions): Promise<Hit[]> {
  const { embedder, needsVectors, signal, staleFiles } = options
  const limit = Math.min(options.limit, mostHits)
  if (signal.aborted) throw abortError(signal)
  const filter = wholeFilter(options.filter)
  if (filter === 'nothing') return []

  // Words alone rank what is read.
  const isByWords = !embedder || isOffline(embedder)
  const pool = { limit: isByWords ? readOf(limit) : poolOf(limit), filter, signal, withChunks: isByWords }
  const meaning = meaningOf(store, query, { embedder, needsVectors, signal })
  for (let attempt = 1; ; attempt++) {
    const [text, near] = await Promise.all([
      store.searchText(query, pool),
      meaning.then((known) => findByMeaning(store, known, pool)),
    ])
    const passages = passageReader(store)
    const ranked =
      (await rank(store, text, near, { filter, passages, depth: readOf(limit) })) ??
      (await lastResort(store, query, pool, near))
    if (signal.aborted) throw abortError(signal)
    if (near.problem && ranked.length === 0) throw near.problem
    const candidates = ranked.slice(0, readOf(limit))
    await passages.read(candidates)
    const hits = candidates.flatMap((found) => {
      const chunk = passages.get(found.id)
      return chunk ? [toHit(chunk, found, staleFiles?.has(chunk.file) ?? false)] : []
    })
    // The index changed between search and reading, and some chunks were replaced: search the current index.
    if (hits.length < candidates.length && attempt < mostAttempts) continue
    if (near.problem)
      options.onWarning?.(
        `Searched by words only, because the search by meaning failed: ${redactSecrets(near.problem.message)}`,
      )
    return spread(hits, ({ file }) => file).slice(0, limit)
  }
}

/** @returns undefined when there is no evidence */
async function rank(
  store: Store,
  text: readonly Found[],
  { found, trust }: Near,
  { filter, passages, depth }: { filter: Filter; passages: PassageReader; depth: number },
): Promise<Fused[] | undefined> {
  const isKnown = trust > unknownTrust
  if (text.length === 0 && (found.length === 0 || !isKnown)) return undefined
  const weight = isKnown || found.length === 0 ? trust : await trustByAgreement(store, text, found, filter)
  await passages.read([...text.slice(0, depth), ...(weight > 0 ? found.slice(0, depth) : [])])
  return fuse(liftSections(text, passages.get), found, weight)
}

/** No words match exactly. */
async function lastResort(
  store: Store,
  query: string,
  pool: { limit: number; filter: Filter },
  { found }: Near,
): Promise<Fused[]> {
  const misspelt = await store.searchText(query, { ...pool, fuzzy: true })
  // The best hits of unproven vectors are better than nothing.
  return fuse(misspelt, found, misspelt.length > 0 ? 0 : 1)
}

interface PassageReader {
  /** Reads the chunks that are not read yet. */
  read(found: readonly Pick<Found, 'id' | 'chunk'>[]): Promise<void>
  get(id: string): Chunk | undefined
}

function passageReader(store: Store): PassageReader {
  const known = new Map<string, Chunk>()
  return {
    async read(found) {
      for (const { id, chunk } of found) if (chunk) known.set(id, chunk)
      const missing = found.map(({ id }) => id).filter((id) => !known.has(id))
      if (missing.length === 0) return
      for (const chunk of await store.chunks([...new Set(missing)])) known.set(chunk.id, chunk)
    },
    get: (id) => known.get(id),
  }
}

function toHit(chunk: Chunk, { text, vector, fused }: Fused, isStale: boolean): Hit {
  const score = { ...(text !== undefined && { text }), ...(vector !== undefined && { vector }), fused }
  return { ...toCitation(chunk, score, isStale), text: searchedText(chunk) }
}
