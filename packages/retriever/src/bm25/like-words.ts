import { editDistance } from '@agentkit/core/internal'
import { areFar, lettersOf } from '../util/letter-set.ts'
import type { TimeSlices } from '../util/time-slices.ts'
import type { LiveSegment } from './live-segment.ts'
import type { QueryWord } from './rank.ts'
import { findTerm, termAt } from './segment.ts'

/** The limits of terms that may match a word, and of words that are expanded. */
const mostForms = 40
const mostWords = 32

/**
 * The words of a query, with words that no text has, such as misspelt ones, replaced by similar terms of the index. The
 * query is unchanged if no text has any of its words.
 */
export async function withLikeWords(
  segments: readonly LiveSegment[],
  query: readonly QueryWord[],
  slices: TimeSlices,
): Promise<readonly QueryWord[]> {
  const isKnown = (word: QueryWord): boolean => segments.some(({ segment }) => findTerm(segment, termOf(word)) >= 0)
  const known = query.filter(isKnown)
  const unknown = query.filter((word) => mayBeMisspelt(word) && !isKnown(word))
  if (known.length === 0 || unknown.length === 0) return query
  return [...known, ...(await likeWords(segments, unknown, slices))]
}

/** Numbers are never misspelt words. Whole names with hyphens or camel case are found by their parts. */
function mayBeMisspelt(word: QueryWord): boolean {
  const term = termOf(word)
  return word.count >= 1 && term.length >= (isDense(term) ? 2 : 4) && !/\d/.test(term)
}

function termOf({ forms }: QueryWord): string {
  return forms[0]?.term ?? ''
}

/** The words of a query, each with the index terms that are similar: longer terms that contain the word, or a similar spelling. */
export async function likeWords(
  segments: readonly LiveSegment[],
  query: readonly QueryWord[],
  slices: TimeSlices,
): Promise<QueryWord[]> {
  const words = query.slice(0, mostWords).map(({ count, forms }) => {
    const wanted = termOf({ count, forms })
    const spelt = asWritten(wanted)
    return { count, wanted, spelt, letters: lettersOf(spelt), found: new Map<string, number>() }
  })
  for (const { segment } of segments) {
    for (let place = 0; place < segment.termStarts.length - 1; place++) {
      const term = termAt(segment, place)
      const like = { term, spelt: asWritten(term) }
      const letters = lettersOf(like.spelt)
      for (const word of words) {
        const weight = likeness(word, like, letters)
        if (weight > 0) word.found.set(term, weight)
      }
      if (place % 64 === 0 && slices.isOver) await slices.next()
    }
  }
  return words.map(({ count, found }) => ({
    count,
    forms: [...found]
      .map(([term, weight]) => ({ term, weight }))
      .sort((one, other) => other.weight - one.weight)
      .slice(0, mostForms),
  }))
}

/** The similarity of two words: 0 for unrelated words, 1 for the same word. */
function likeness(
  { wanted, spelt, letters: wantedLetters }: { wanted: string; spelt: string; letters: number },
  like: { term: string; spelt: string },
  letters: number,
): number {
  const { term } = like
  if (wanted === term) return 1
  const difference = term.length - wanted.length
  if (difference > 0 && wanted.length >= shortestBeginning(wanted) && term.startsWith(wanted)) {
    return 0.3 + (0.4 * wanted.length) / term.length
  }
  if (difference > 0 && wanted.length >= shortestPart(wanted) && term.includes(wanted)) {
    return 0.2 + (0.3 * wanted.length) / term.length
  }
  // Numbers are not corrected.
  if (/\d/.test(wanted)) return 0
  const allowed = mistakesIn(wanted.length)
  const isFar = Math.abs(difference) > allowed || areFar(wantedLetters, letters, allowed)
  const distance = isFar ? allowed + 1 : editDistance(spelt, like.spelt, allowed)
  if (distance <= allowed) return 0.8 - 0.2 * distance
  const isShorterForm = term.length >= shortestStem && -difference <= longestEnding && wanted.startsWith(term)
  return isShorterForm ? 0.2 + (0.3 * term.length) / wanted.length : 0
}

/** `Vermieter` is found by `Vermietern`: the English stemmer removes the ending of the first only. */
const shortestStem = 6
const longestEnding = 4

/** A stem has `i` at its end where its word has `y`: a mistake there would count twice, as in `holidya`. */
function asWritten(stem: string): string {
  return stem.endsWith('i') ? `${stem.slice(0, -1)}y` : stem
}

/** Whether one character carries as much information as several letters, as in Chinese, Japanese and Korean. */
function isDense(term: string): boolean {
  return term >= '\u2e80'
}

function shortestBeginning(wanted: string): number {
  return isDense(wanted) ? 1 : 3
}

/**
 * The length from which a word is looked for within others: `Urlaub` in `Jahresurlaub`, and behind a noun of Korean, which
 * is written together with it.
 */
function shortestPart(wanted: string): number {
  if (/\d/.test(wanted)) return Number.POSITIVE_INFINITY
  return isDense(wanted) ? 2 : 5
}

/** The number of spelling mistakes that a word of a given length may have. */
function mistakesIn(length: number): number {
  if (length < 4) return 0
  return length < 8 ? 1 : 2
}
