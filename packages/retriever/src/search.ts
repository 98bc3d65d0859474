import type { Citation, Embedder } from '@agentkit/core'
import { abortError } from '@agentkit/core/internal'
import { type Chunk, searchedText } from './data/chunk.ts'
import { toCitation } from './data/cite.ts'
import { type Filter, wholeFilter } from './data/search-filter.ts'
import { trustByAgreement } from './rank/agreement.ts'
import { findByMeaning, meaningOf, type Near } from './rank/find-by-meaning.ts'
import { type Fused, fuse } from './rank/fuse.ts'
import { liftSections } from './rank/lift-sections.ts'
import { spread } from './rank/spread.ts'
import { unknownTrust } from './rank/trust.ts'
import type { Found, Store } from './store/store.ts'

/** A passage that was found: where it stands, and what was searched, its headings with it. */
export type Hit = Citation & { text: string }

export type SearchStoreOptions = {
  /** From 1 on; above 1,000 it is 1,000. */
  limit: number
  /** Extensions with or without the dot, in any case; paths of files, or of folders ending in `/`. */
  filter: Filter
  /** Absent: by words alone. One that is not the index's own is not asked. */
  embedder?: Embedder | undefined
  /** Whether an embedder that was found useless is asked too. */
  needsVectors?: boolean | undefined
  signal: AbortSignal
  /** Files whose chunks are those of an earlier version. */
  staleFiles?: ReadonlySet<string> | undefined
  /** Told why a search finds by words alone although there is an embedder. */
  onWarning?: ((warning: string) => void) | undefined
}

const mostHits = 1000
/** Each list is asked for more than is shown: what one has at the top may be far down in the other. */
const poolOf = (limit: number): number => Math.max(100, limit * 4)
/** Chunks are read, to see their sections and files, of somewhat more than are shown. */
const readOf = (limit: number): number => limit + 40
/** While another process writes one change after the other, a tenth of the attempts meets one. */
const mostAttempts = 10

/**
 * Finds passages by words and by meaning, the best first.
 *
 * The embedder weighs as much as it is trusted: see `measureTrust`. When it fails, words alone have to do. When they
 * find nothing either, misspelt and unfinished words count too.
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

  const pool = { limit: poolOf(limit), filter, signal }
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
    // A change of the index between finding and reading has replaced some: the index as it is now answers.
    if (hits.length < candidates.length && attempt < mostAttempts) continue
    if (near.problem) options.onWarning?.(`Searched by words alone. ${near.problem.message}`)
    return spread(hits, ({ file }) => file).slice(0, limit)
  }
}

/** @returns nothing when there is nothing to go by */
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

/** No words are found as they are. */
async function lastResort(
  store: Store,
  query: string,
  pool: { limit: number; filter: Filter },
  { found }: Near,
): Promise<Fused[]> {
  const misspelt = await store.searchText(query, { ...pool, fuzzy: true })
  // Of vectors that nobody knows to be good the best are still better than nothing.
  return fuse(misspelt, found, misspelt.length > 0 ? 0 : 1)
}

interface PassageReader {
  /** Reads those that are not read yet. */
  read(found: readonly { id: string }[]): Promise<void>
  get(id: string): Chunk | undefined
}

function passageReader(store: Store): PassageReader {
  const known = new Map<string, Chunk>()
  return {
    async read(found) {
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
