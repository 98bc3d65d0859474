import { decodeHTMLStrict } from 'entities'

/** The text of a character reference such as `&amp;`: spaces of any width are plain ones, invisible characters are empty. */
export function decodeEntity(reference: string): string {
  const text = decodeHTMLStrict(reference)
  if (text === '\u{fffd}') return reference // not a character
  return text.replace(/[\u{a0}\u{2002}\u{2003}\u{2009}]/gu, ' ').replace(/[\u{ad}\u{200c}\u{200d}]/gu, '')
}
