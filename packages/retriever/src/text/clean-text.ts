import { textDecoder } from './text-decoder.ts'

/** Text without invisible characters: control characters (except `\n` and `\t`), bidi marks, soft hyphens, odd spaces. */
export function cleanText(text: string): string {
  if (!odd.test(text)) return text
  return (
    text
      .toWellFormed()
      .replace(/\r\n?|[\v\f\u2028\u2029]/g, '\n')
      // These control characters are the quotes and dashes of Windows-1252.
      .replace(/[\u0080-\u009f]/g, (character) => windows.decode(Uint8Array.of(character.charCodeAt(0))))
      .replace(oddSpaces, ' ')
      .replace(bullets, '•')
      // Some fonts map their space to these characters.
      .replaceAll('\u0003', ' ')
      .replace(invisible, '')
  )
}

/** The number of characters without meaning: control characters, replacements, and codes of a single font. */
export function countJunk(text: string): number {
  return text.match(junk)?.length ?? 0
}

const windows = textDecoder('windows-1252')
const oddSpaces = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g
// Symbol fonts have their bullets at these code points.
const bulletPlaces = '\\uf0b7\\uf0a7\\uf0d8\\uf076\\uf0a8\\uf06e'
const bullets = new RegExp(`[${bulletPlaces}]`, 'g')
const controls = '\\0-\\x08\\x0e-\\x1f\\x7f\\x81\\x8d\\x8f\\x90\\x9d'
const nothing = '\\ufffd\\ufffe\\uffff'
const marks = '\\u00ad\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060\\u2066-\\u2069\\ufeff'
const invisible = new RegExp(`[${controls}${nothing}${marks}]|\\p{Co}`, 'gu')
const junk = new RegExp(`[${controls}${nothing}]|(?![${bulletPlaces}])\\p{Co}|\\p{Cs}`, 'gu')
// Most text needs no change: one test is enough.
const odd = new RegExp(
  `[${controls}${nothing}${marks}${oddSpaces.source.slice(1, -1)}\\v\\f\\r\\u0080-\\u009f\\u2028\\u2029]|\\p{Co}|\\p{Cs}`,
  'u',
)
