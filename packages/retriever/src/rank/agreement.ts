import { type Filter, passes } from '../data/search-filter.ts'
import type { Found, Store } from '../store/store.ts'
import { isTie } from './fuse.ts'

/** So many of the vectors' best are looked for in the text's best. */
const ofVectors = 10
const mostOfText = 50
/** How often they are there when the vectors know something: less often than of most that do. */
const knowingRate = 0.3
/** An embedder of which nothing is known is thought to know nothing, at e³ to 1. */
const doubt = -3
/** What earlier searches have shown fades, and never outweighs what new ones show again and again. */
const fading = 0.9
const mostCertain = 12

/** Chunks by which it is guessed how many a filter lets pass, and how few of them are too few to guess by. */
const sampled = 64
const fewestPassing = 8

/** What the searches of this process have shown of each store's vectors. */
const evidenceOf = new WeakMap<Store, number>()

/**
 * How far vectors are trusted of which nothing is known but what they find, from 0 to 1. Two who find the same among
 * thousands of passages both know where it is: the words are known to, so the vectors do.
 *
 * @param text what was found by words
 * @param vector what was found by vectors
 * @param filter of both
 */
export async function trustByAgreement(
  store: Store,
  text: readonly Found[],
  vector: readonly Found[],
  filter: Filter,
): Promise<number> {
  const shown = shownBy(text, vector, await countPassing(store, filter))
  const evidence = (evidenceOf.get(store) ?? 0) * fading + shown
  evidenceOf.set(store, Math.min(mostCertain, Math.max(-mostCertain, evidence)))
  const certainty = 1 / (1 + Math.exp(-(doubt + evidence)))
  return certainty > 0.5 ? certainty : 0
}

/** About how many chunks a filter lets pass; 0 where that cannot be told. */
async function countPassing(store: Store, filter: Filter): Promise<number> {
  const total = await store.count()
  if (!filter.paths && !filter.exts) return total
  const sample = await store.sample(sampled)
  const passing = sample.filter(({ file }) => passes(filter, file)).length
  return passing < fewestPassing ? 0 : Math.floor((total * passing) / sample.length)
}

/** For knowing against guessing, as a logarithm of how much likelier one makes what is seen: above 0 is for knowing. */
function shownBy(text: readonly Found[], vector: readonly Found[], total: number): number {
  // Of a small folder the best of both are much the same by chance.
  const depth = Math.min(mostOfText, text.length, Math.floor(total / 20))
  if (depth < 1) return 0
  // Who finds all alike has not found anything.
  const best = vector.slice(0, ofVectors).filter((found) => !isTie(found, vector[ofVectors]))
  const texts = new Set(text.slice(0, depth).map(({ id }) => id))
  const both = best.filter(({ id }) => texts.has(id)).length
  const chance = depth / total
  return both * Math.log(knowingRate / chance) + (best.length - both) * Math.log((1 - knowingRate) / (1 - chance))
}
