import { distance } from 'fastest-levenshtein'

/** No longer word is a known one misspelt. */
const longest = 200

/** The known word that is probably meant, if one is near enough. Upper case, `-` and `_` make no difference. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  if (word.length > longest) return undefined
  const plain = plainly(word)
  const farthest = Math.max(2, Math.floor(plain.length * 0.4))
  let best: { word: string; away: number } | undefined
  for (const candidate of known) {
    const away = distance(plain, plainly(candidate))
    if (away <= farthest && away < (best?.away ?? Number.POSITIVE_INFINITY)) best = { word: candidate, away }
  }
  return best?.word
}

function plainly(word: string): string {
  return word.toLowerCase().replaceAll(/[-_ ]/g, '')
}
