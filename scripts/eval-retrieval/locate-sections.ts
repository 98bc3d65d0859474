import type { Document } from './collection.ts'
import { lettersOf } from './fake-embedders.ts'
import type { Span } from './metrics.ts'
import { textOf } from './write-files.ts'

/** A passage of a file, as a retriever returns it. */
type Passage = { quote: string; start: number }

/**
 * The offsets of a file's sections in its extracted text, by their documents' ids. They are found by their
 * letters: markup and white space may have changed.
 *
 * @throws Error for a section that is not found, which would falsify recall
 */
export function locateSections(
  file: string,
  passages: readonly Passage[],
  sections: readonly Document[],
): Map<string, Span> {
  let letters = ''
  const places: number[] = []
  for (const { quote, start } of passages) {
    for (let index = 0; index < quote.length; ) {
      const character = String.fromCodePoint(quote.codePointAt(index) ?? 0)
      const kept = lettersOf(character)
      letters += kept
      for (let count = 0; count < kept.length; count++) places.push(start + index)
      index += character.length
    }
  }
  const spans = new Map<string, Span>()
  let from = 0
  for (const section of sections) {
    const wanted = lettersOf(textOf(section))
    // Only the title.
    if (wanted === '') continue
    const at = letters.indexOf(wanted, from)
    const [start, last] = [places[at], places[at + wanted.length - 1]]
    if (start === undefined || last === undefined)
      throw new Error(`${file} has lost the text of document ${section.id}.`)
    spans.set(section.id, { file, start, end: last + 1 })
    from = at + wanted.length
  }
  return spans
}
