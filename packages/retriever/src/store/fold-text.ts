import { betweenHumps } from '../util/humps.ts'
import { plainDigits } from '../util/plain-digits.ts'
import { withoutArticle } from '../util/without-article.ts'
import { withoutDots } from '../util/without-dots.ts'
import { withoutLongEnd } from '../util/without-long-end.ts'
import { likelyNouns, withoutParticle } from '../util/without-particle.ts'

/** Letters without a decomposition in Unicode. */
const letters = new Map([
  ...Object.entries({ ß: 'ss', ẞ: 'SS', æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE', ø: 'o', Ø: 'O' }),
  ...Object.entries({ ł: 'l', Ł: 'L', đ: 'd', Đ: 'D', ð: 'd', Ð: 'D', þ: 'th', Þ: 'TH', ı: 'i' }),
])

/** Soft hyphens, and the bar that lengthens Arabic letters. */
const fillers = /[\u00ad\u0640]/g

/**
 * Folds text for search: Latin letters without accents, Arabic and Hebrew ones without their points, Arabic without its
 * article, digits of other scripts, ligatures and full-width letters as plain ones, katakana without a bar at its end,
 * Korean nouns without their particles. ASCII text is returned unchanged.
 *
 * LanceDB folds too, but after stemming: `resume` would not find `résumé`.
 */
export function foldText(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text
  const folded = withoutArticle(
    text
      .normalize('NFKD')
      .replace(/([\p{Script=Latin}\p{Script=Arabic}\p{Script=Hebrew}])\p{M}+/gu, '$1')
      .replace(fillers, '')
      .replace(/[ßẞæÆœŒøØłŁđĐðÐþÞı]/g, (letter) => letters.get(letter) ?? letter)
      // Korean syllables and Japanese kana are composed again.
      .normalize('NFC'),
  )
  return withoutParticle(withoutLongEnd(plainDigits(folded)))
}

/** A name with humps, as a test that costs little. */
const humped = /[\p{Ll}\p{N}]\p{Lu}|\p{Lu}{2}\p{Ll}{2}/u

/** Text with what LanceDB does not take for words behind it: the parts of names, and whole numbers. */
export function withParts(text: string): string {
  const numbers = wholeNumbers(text)
  const parts = withNameParts(text)
  return numbers.length === 0 ? parts : `${parts}\n${numbers.join(' ')}`
}

/** A number of several parts, such as a version. The limit of parts excludes rows of tables. */
const partedNumber = /(?<!\d)(?<!\d[.,])\d{1,20}(?:[.,]\d{1,20}){1,6}(?![.,]?\d)/g

/**
 * `19.99` and the number of `v2.4.1` as one word each, `1,000` as `1000`, `1.234,56` as `1234.56`: LanceDB would index
 * their parts as separate words.
 */
export function wholeNumbers(text: string): string[] {
  const found = text.match(partedNumber) ?? []
  return found.map((number) =>
    withoutDots(number)
      .replace(/,(?=\d{3}(?!\d))/g, '')
      .replace(/[.,]/g, 'dot'),
  )
}

/**
 * Text with the parts of its names behind it, and the likely nouns of Korean words: `getUserName` is found by `user name`.
 * LanceDB treats it as one word.
 */
export function withNameParts(text: string): string {
  const parts = likelyNouns(text)
  const names = humped.test(text) ? text.matchAll(/[\p{L}\p{N}]+/gu) : []
  for (const [word] of names) {
    const own = humped.test(word) ? word.split(betweenHumps) : []
    if (own.length > 1) for (const part of own) parts.push(part)
  }
  return parts.length === 0 ? text : `${text}\n${parts.join(' ')}`
}
