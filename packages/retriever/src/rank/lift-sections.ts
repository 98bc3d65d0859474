import type { Chunk } from '../data/chunk.ts'
import type { Found } from '../store/store.ts'

/** What the best other passage of the section counts. Tried from .1 to .5: up to .2 more is found, and then less. */
const share = 0.15
/** Only what stands high itself is evidence, and how many are asked for must not change the order of the first. */
const considered = 50

/**
 * Puts passages higher whose section says more of what was asked for: a text was cut where it was long, not where it
 * changed its subject.
 *
 * @param found by words, the best first; the first 50 count
 * @param chunkOf what is known of them; those of which nothing is known are not lifted
 */
export function liftSections(found: readonly Found[], chunkOf: (id: string) => Chunk | undefined): Found[] {
  const sectionOf = ({ id }: Found): string | undefined => {
    const chunk = chunkOf(id)
    return chunk && `${chunk.file}\n${chunk.heading ?? ''}`
  }
  // The two best of each section: the best one's best other is the second.
  const best = new Map<string, Found[]>()
  const first = found.slice(0, considered)
  for (const one of first) {
    const section = sectionOf(one)
    if (section === undefined) continue
    const known = best.get(section) ?? []
    if (known.length < 2) best.set(section, [...known, one])
  }
  const lifted = first.map((one) => {
    const other = best.get(sectionOf(one) ?? '')?.find(({ id }) => id !== one.id)
    return other ? { ...one, score: one.score + share * other.score } : one
  })
  lifted.sort((one, other) => other.score - one.score)
  return [...lifted, ...found.slice(considered)]
}
