let graphemes: Intl.Segmenter | undefined
let words: Intl.Segmenter | undefined

/** The number of code units after a position that are examined to find the end of the character before it. */
const lookahead = 32

/**
 * Whether a user-perceived character (grapheme cluster) ends at a position.
 * @param start a known boundary shortly before the position
 */
export function isClusterEnd(text: string, start: number, position: number): boolean {
  const before = text.charCodeAt(position - 1)
  const after = text.charCodeAt(position)
  // No code unit below joins the text before it, except in `\r\n`.
  if (before < 0x300 && after < 0x300) return before !== 13 || after !== 10
  return position >= text.length || clusterStart(text, start, position) === position
}

/** The last boundary up to `position`; about `position` itself inside a character that is longer than the search. */
export function clusterEndBefore(text: string, start: number, position: number): number {
  const end = clusterStart(text, start, position)
  if (end > start) return end
  const isWithinPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(position - 1, position + 1))
  return isWithinPair && position - 1 > start ? position - 1 : position
}

function clusterStart(text: string, start: number, position: number): number {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  const around = text.slice(start, position + lookahead)
  return start + (graphemes.segment(around).containing(position - start)?.index ?? position - start)
}

/** The distance in which the end of a word is searched. */
const longestWord = 100

/**
 * The last end of a word between two positions of a text without spaces, found with a dictionary.
 * @param start a known boundary shortly before
 */
export function wordEndBefore(text: string, start: number, from: number, to: number): number | undefined {
  words ??= new Intl.Segmenter('en', { granularity: 'word' })
  const nearest = Math.max(from, to - longestWord)
  const ends: number[] = []
  for (const { index } of words.segment(text.slice(nearest, to + lookahead))) {
    // The search may start within a word.
    if (index > 0 && nearest + index <= to) ends.push(nearest + index)
  }
  return ends.findLast((end) => isClusterEnd(text, start, end))
}
