/** A word as written, and its position. */
export type Word = { word: string; at: number }

/** The words of a text in any language, also in one without spaces between words. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  for (const { segment, index, isWordLike } of segmenter.segment(text)) {
    if (isWordLike) words.push({ word: segment, at: index })
  }
  return words
}

/**
 * The approximate stem of a word, common to its family: `indexes` and `indexing`. Cruder than a stemmer, but independent
 * of the language.
 */
export function familyOf(word: string): string {
  return word.normalize('NFKC').toLowerCase().slice(0, 5)
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })
