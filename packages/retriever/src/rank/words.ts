/** A word as it is written, and where it begins. */
export type Word = { word: string; at: number }

/** The words of a text, whatever its language: also of one that puts no spaces between them. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  for (const { segment, index, isWordLike } of segmenter.segment(text)) {
    if (isWordLike) words.push({ word: segment, at: index })
  }
  return words
}

/**
 * What a word has in common with others of its family, roughly: `indexes` and `indexing`. Cruder than a stemmer, but
 * for any language.
 */
export function familyOf(word: string): string {
  return word.normalize('NFKC').toLowerCase().slice(0, 5)
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })
