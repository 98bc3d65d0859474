import type { TimeSlices } from '../util/time-slices.ts'

/** The number of terms that are sorted at once. */
const handful = 2_000

/** Sorts terms by their code units, and yields to the event loop between parts. */
export async function sortTerms(terms: Iterable<string>, slices: TimeSlices): Promise<string[]> {
  const sorted: string[] = []
  await sortFrom([...terms], 0, sorted, slices)
  return sorted
}

/** Sorts terms whose first `depth` code units are equal. */
async function sortFrom(terms: string[], depth: number, sorted: string[], slices: TimeSlices): Promise<void> {
  if (slices.isOver) await slices.next()
  if (terms.length <= handful) {
    for (const term of terms.sort()) sorted.push(term)
    return
  }
  const groups = new Map<number, string[]>()
  for (const [place, term] of terms.entries()) {
    if (place % handful === 0 && slices.isOver) await slices.next()
    const unit = depth < term.length ? term.charCodeAt(depth) : -1
    const group = groups.get(unit)
    if (group) group.push(term)
    else groups.set(unit, [term])
  }
  for (const unit of [...groups.keys()].sort((one, other) => one - other)) {
    const group = groups.get(unit) ?? []
    // Terms are distinct, so at most one term has this length.
    if (unit === -1) sorted.push(...group)
    else await sortFrom(group, depth + 1, sorted, slices)
  }
}
