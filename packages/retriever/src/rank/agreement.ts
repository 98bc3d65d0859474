import { type Filter, passes } from '../data/search-filter.ts'
import type { Found, Store } from '../store/store.ts'
import { isTie } from './fuse.ts'

/** The number of best vector hits that are compared with the best text hits. */
const ofVectors = 10
const mostOfText = 50
/** The share of hits in common for vectors that carry meaning: lower than most such embedders reach. */
const meaningfulRate = 0.3
/** The prior odds that an unknown embedder carries no meaning: e³ to 1. */
const priorLogOdds = -3
/** Evidence of earlier searches decays, and is capped so that consistent new evidence outweighs it. */
const decay = 0.9
const mostCertain = 12

/** The number of chunks from which the selectivity of a filter is estimated, and the lowest number that is enough. */
const sampled = 64
const fewestPassing = 8

/** Evidence from the searches of this process, per store. */
const evidenceOf = new WeakMap<Store, number>()

/**
 * The trust in vectors of an unknown embedder, from 0 to 1, measured by what they find. If two methods find the same
 * passages among thousands, both find the right ones: text search is known to, so the vectors do.
 *
 * @param text hits of the text search
 * @param vector hits of the vector search
 * @param filter of both searches
 */
export async function trustByAgreement(
  store: Store,
  text: readonly Found[],
  vector: readonly Found[],
  filter: Filter,
): Promise<number> {
  const shown = shownBy(text, vector, await countPassing(store, filter))
  const evidence = (evidenceOf.get(store) ?? 0) * decay + shown
  evidenceOf.set(store, Math.min(mostCertain, Math.max(-mostCertain, evidence)))
  const certainty = 1 / (1 + Math.exp(-(priorLogOdds + evidence)))
  return certainty > 0.5 ? certainty : 0
}

/** The approximate number of chunks that pass a filter; 0 when it cannot be estimated. */
async function countPassing(store: Store, filter: Filter): Promise<number> {
  const total = await store.count()
  if (!filter.paths && !filter.exts) return total
  const sample = await store.sample(sampled)
  const passing = sample.filter(({ file }) => passes(filter, file)).length
  return passing < fewestPassing ? 0 : Math.floor((total * passing) / sample.length)
}

/** The log-likelihood ratio of "carries meaning" against "random"; above 0 is evidence for meaning. */
function shownBy(text: readonly Found[], vector: readonly Found[], total: number): number {
  // In a small folder the best hits of both searches overlap by chance.
  const depth = Math.min(mostOfText, text.length, Math.floor(total / 20))
  if (depth < 1) return 0
  // A method that gives all results the same score has found nothing.
  const best = vector.slice(0, ofVectors).filter((found) => !isTie(found, vector[ofVectors]))
  const texts = new Set(text.slice(0, depth).map(({ id }) => id))
  const both = best.filter(({ id }) => texts.has(id)).length
  const chance = depth / total
  return both * Math.log(meaningfulRate / chance) + (best.length - both) * Math.log((1 - meaningfulRate) / (1 - chance))
}
