import { countJunk } from '../clean-text.ts'

/** Whether a page's text layer is garbage: what it says is not what the page shows. */
export function isGarbled(text: string): boolean {
  const said = text.replace(/\s+/g, '')
  if (said.length === 0) return false
  if (countJunk(said) > said.length * 0.1) return true
  if (mixesScripts(text)) return true
  return said.length >= 120 && (hasNoVowels(text) || hasNoWords(text) || isMojibake(said))
}

/** Codes of glyphs that were taken for characters give words of Arabic, Chinese and Greek letters in one. */
function mixesScripts(text: string): boolean {
  if (!/[^\0-\u024f]/.test(text)) return false
  const words = text.match(/\p{L}{3,}/gu) ?? []
  const mixed = words.filter((word) => scripts.filter((script) => script.test(word)).length > 1)
  return mixed.length >= 5 && mixed.length > words.length * 0.15
}

// Chinese, Japanese and Korean words stand beside each other, and beside Latin ones, without a space.
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

/** A font whose codes are shifted gives "WKLV LV WKH WHAW". A third of the letters of any language are vowels. */
function hasNoVowels(text: string): boolean {
  const letters = text.normalize('NFD').match(/[A-Za-z]/g) ?? []
  if (letters.length < 200) return false
  const vowels = letters.filter((letter) => /[aeiouyAEIOUY]/.test(letter))
  return vowels.length < letters.length * 0.2
}

/** A scan that was read in the wrong alphabet gives "V1HH 0301 Cl>opMa KHA ynnal.IVIBaeMoMy". */
function hasNoWords(text: string): boolean {
  const tokens = text.match(/\S+/g) ?? []
  const latin = tokens.filter((token) => /[A-Za-z]/.test(token) && token.length > 2 && /^[\x21-\x7e]+$/.test(token))
  if (latin.length < 30 || latin.length < tokens.length / 3) return false
  const words = latin.filter((token) =>
    /^\W*[A-Z]?[a-z]*[aeiouy][a-z'-]*\d*\W*$|^\W*[A-Z'-]*[AEIOUY][A-Z'-]*\d*\W*$/.test(token),
  )
  return words.length < latin.length / 4
}

/** UTF-8 that was read as Latin-1: "Ã¤", "â€™". */
function isMojibake(text: string): boolean {
  return (text.match(/Ã[\u0080-\u00bf]|â€|Â[\u00a0-\u00bf]/g)?.length ?? 0) > text.length / 50
}
