let graphemes: Intl.Segmenter | undefined
let words: Intl.Segmenter | undefined

/** How much is looked at beyond a place, to know what belongs to the character before it. */
const lookahead = 32

/**
 * Whether a character, as people count them, ends there.
 * @param start where one begins for certain, not far before
 */
export function isClusterEnd(text: string, start: number, position: number): boolean {
  const before = text.charCodeAt(position - 1)
  const after = text.charCodeAt(position)
  // Nothing below joins what comes before it, but for a line end of two.
  if (before < 0x300 && after < 0x300) return before !== 13 || after !== 10
  return position >= text.length || clusterStart(text, start, position) === position
}

/** The last place up to `position` where a character ends; `position`, nearly, where one is longer than all that. */
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

/** How far back the end of a word is looked for. */
const longestWord = 100

/**
 * The last end of a word between two places of a text without spaces, as dictionaries know it.
 * @param start where a character begins for certain, not far before
 */
export function wordEndBefore(text: string, start: number, from: number, to: number): number | undefined {
  words ??= new Intl.Segmenter('en', { granularity: 'word' })
  const nearest = Math.max(from, to - longestWord)
  const ends: number[] = []
  for (const { index } of words.segment(text.slice(nearest, to + lookahead))) {
    // Where the looking begins may be within a word.
    if (index > 0 && nearest + index <= to) ends.push(nearest + index)
  }
  return ends.findLast((end) => isClusterEnd(text, start, end))
}
