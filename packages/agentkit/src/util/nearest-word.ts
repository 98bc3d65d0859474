import { distance } from 'fastest-levenshtein'

/** A longer word is not a misspelling of a known one. */
const maxLength = 200

/** The known word that a misspelt one probably means, if any is close enough. Case, `-` and `_` are ignored. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  if (word.length > maxLength) return undefined
  const normalized = normalize(word)
  const maxDistance = Math.max(2, Math.floor(normalized.length * 0.4))
  let best: { word: string; away: number } | undefined
  for (const candidate of known) {
    const away = distance(normalized, normalize(candidate))
    if (away <= maxDistance && away < (best?.away ?? Number.POSITIVE_INFINITY)) best = { word: candidate, away }
  }
  return best?.word
}

function normalize(word: string): string {
  return word.toLowerCase().replaceAll(/[-_ ]/g, '')
}
