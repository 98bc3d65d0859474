import type { Chunk } from '../data/chunk.ts'
import type { Found } from '../store/store.ts'

/** The weight of the section's best other passage. Values from .1 to .5 were measured: quality rises up to .2. */
const share = 0.15
/** Only highly ranked passages are evidence, and the number of requested hits must not change the order of the first. */
const considered = 50

/**
 * Raises passages whose section has further hits: a text is cut where it is too long, not where its subject changes.
 *
 * @param found by text search, the best first; the first 50 count
 * @param chunkOf the chunks that are known; others are not raised
 */
export function liftSections(found: readonly Found[], chunkOf: (id: string) => Chunk | undefined): Found[] {
  const sectionOf = ({ id }: Found): string | undefined => {
    const chunk = chunkOf(id)
    return chunk && `${chunk.file}\n${chunk.heading ?? ''}`
  }
  // The two best of each section: the best passage's best other is the second.
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
