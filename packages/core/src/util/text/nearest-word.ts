import { editDistance } from './edit-distance.ts'

/** A longer word is not a misspelling of a known one. */
const maxLength = 200

/** The known word that a misspelt one probably means, if one is close enough. Ignores case, `-` and `_`. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  if (word.length > maxLength) return undefined
  const normalized = normalize(word)
  const { length } = normalized
  let maxDistance = length <= 3 ? Math.floor(length / 2) : Math.max(2, Math.floor(length * 0.4))
  let nearest: string | undefined
  for (const candidate of known) {
    const distance = editDistance(normalized, normalize(candidate), maxDistance)
    if (distance > maxDistance) continue
    nearest = candidate
    // The first of several equally close words.
    maxDistance = distance - 1
  }
  return nearest
}

function normalize(word: string): string {
  return word.toLowerCase().replaceAll(/[-_ ]/g, '')
}
