import { countJunk } from '../../text/clean-text.ts'

/** Whether a page's text layer is garbage: it does not contain the text that the page shows. */
export function isGarbled(text: string): boolean {
  const said = text.replace(/\s+/g, '')
  if (said.length === 0) return false
  if (countJunk(said) > said.length * 0.1) return true
  if (mixesScripts(text)) return true
  return said.length >= 120 && (hasNoVowels(text) || hasNoWords(text) || isMojibake(said))
}

/** Glyph codes read as characters result in words that mix Arabic, Chinese and Greek letters. */
function mixesScripts(text: string): boolean {
  if (!/[^\0-\u024f]/.test(text)) return false
  const words = text.match(/\p{L}{3,}/gu) ?? []
  const mixed = words.filter((word) => scripts.filter((script) => script.test(word)).length > 1)
  return mixed.length >= 5 && mixed.length > words.length * 0.15
}

// Chinese, Japanese and Korean words follow each other, and Latin ones, without a space.
const scripts = [
  /[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u,
  /\p{Script=Greek}/u,
  /\p{Script=Cyrillic}/u,
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u,
  /\p{Script=Hebrew}/u,
  /[\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}]/u,
  /[\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}]/u,
  /[\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}\p{Script=Khmer}\p{Script=Tibetan}]/u,
  /[\p{Script=Georgian}\p{Script=Armenian}\p{Script=Ethiopic}\p{Script=Cherokee}]/u,
]

/**
 * A font with shifted codes results in "WKLV LV WKH WHAW". A third of the letters of any language are vowels, but fewer
 * in an invoice, so article codes, account numbers and abbreviations are ignored.
 */
function hasNoVowels(text: string): boolean {
  const words = (text.normalize('NFD').match(/\S+/g) ?? []).filter((token) => !/\d/.test(token))
  const long = words.flatMap((word) => word.match(/[A-Za-z]{5,}/g) ?? [])
  const letters = lettersIn(words)
  return letters.length >= 200 && lettersIn(long).length >= 60 && lacksVowels(letters) && lacksVowels(lettersIn(long))
}

function lettersIn(words: readonly string[]): string {
  return words.join('').replace(/[^A-Za-z]+/g, '')
}

function lacksVowels(letters: string): boolean {
  return letters.replace(/[^aeiouy]+/gi, '').length < letters.length * 0.2
}

/** OCR with the wrong alphabet results in "V1HH 0301 Cl>opMa KHA ynnal.IVIBaeMoMy". */
function hasNoWords(text: string): boolean {
  const tokens =
    text
      .normalize('NFD')
      .replace(/\p{Mn}+/gu, '')
      .match(/\S+/g) ?? []
  const latin = tokens.filter((token) => token.length > 2 && /\p{Script=Latin}/u.test(token))
  if (latin.length < 30 || latin.length < tokens.length / 3) return false
  const kinds = latin.map(wordKind)
  const words = kinds.filter((kind) => kind === 'word').length
  const noise = kinds.filter((kind) => kind === 'noise').length
  return words + noise >= 15 && words < (words + noise) / 4
}

/** Codes with digits and short abbreviations (`HX-4711`, `GmbH`, `Stk.`) occur in real text and in noise. */
function wordKind(token: string): 'word' | 'noise' | 'either' {
  if (/\d/.test(token)) return 'either'
  if (/\p{L}[<>|\\^~{}]+\p{L}/u.test(token)) return 'noise'
  const parts = token.match(/\p{L}+/gu) ?? []
  const isWord = (part: string): boolean => /^(?:\p{L}?\p{Ll}+|\p{Lu}+)$/u.test(part) && /[aeiouy]/i.test(part)
  if (parts.some((part) => part.length > 4 && !isWord(part) && !part.split(wordStart).every(isWord))) return 'noise'
  return parts.some(isWord) ? 'word' : 'either'
}

/** `PayPal`, `getValue` */
const wordStart = /(?<=\p{Ll}{2})(?=\p{Lu}\p{Ll}{2})/u

/** UTF-8 that was decoded as Latin-1: "Ã¤", "â€™". */
function isMojibake(text: string): boolean {
  return (text.match(/Ã[\u0080-\u00bf]|â€|Â[\u00a0-\u00bf]/g)?.length ?? 0) > text.length / 50
}
