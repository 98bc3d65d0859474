/** An error of the validator of JSON Schemas. */
export type Located = { instanceLocation: string; keyword: string; keywordLocation: string; error: string }

/** The members of one union that were compared with one value: by their place, how far the value is from each. */
type Union = { members: Map<string, number>; nearest?: number }

/**
 * The errors without those of members of a union that the value is not meant for: of another kind, or with other
 * constants, where it has those of another member.
 *
 * @param errors in the order of the validator: of a union, then those of its members
 */
export function relevantErrors(errors: readonly Located[]): readonly Located[] {
  const unions = new Map<string, Union>()
  let last = ''
  const placed = errors.map((error) => {
    const { keyword, keywordLocation } = error
    // Each value that a union is compared with has members of its own.
    if (keyword === 'anyOf' || keyword === 'oneOf') unions.set(keywordLocation, { members: new Map() })
    // The validator gives the place of the value for a schema that is `false`.
    last = keyword === 'false' ? last : keywordLocation
    const members = membersAround(last).map((place) => ({ place, union: unions.get(place.replace(/\/\d+$/, '')) }))
    for (const { place, union } of members) {
      const before = union?.members.get(place) ?? 0
      union?.members.set(place, Math.max(before, distanceOf(last.slice(place.length))))
    }
    return { error, members }
  })
  const meant = placed.filter(({ members }) =>
    members.every(({ place, union }) => !union || union.members.get(place) === nearestOf(union)),
  )
  return meant.length > 0 ? meant.map(({ error }) => error) : errors
}

function nearestOf(union: Union): number {
  union.nearest ??= Math.min(...union.members.values())
  return union.nearest
}

/** The places of the members of unions around a place, the outermost first. */
function membersAround(place: string): string[] {
  return Array.from(place.matchAll(/\/(?:anyOf|oneOf)\/\d+(?=\/)/g), (found) =>
    place.slice(0, found.index + found[0].length),
  )
}

/** How far a value is from a member, by the place of an error within it: of another kind or constant, or none of its words. */
function distanceOf(within: string): number {
  const path = within.replaceAll('/$ref', '')
  if (path === '/type' || /^\/properties\/[^/]+\/const$/.test(path)) return 2
  return /^\/properties\/[^/]+\/enum$/.test(path) ? 1 : 0
}
