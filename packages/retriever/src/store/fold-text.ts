/** Letters without a decomposition in Unicode. */
const letters = new Map([
  ...Object.entries({ ß: 'ss', ẞ: 'SS', æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE', ø: 'o', Ø: 'O' }),
  ...Object.entries({ ł: 'l', Ł: 'L', đ: 'd', Đ: 'D', ð: 'd', Ð: 'D', þ: 'th', Þ: 'TH', ı: 'i' }),
])

/**
 * Folds text for search: Latin letters without accents, ligatures and full-width letters as plain ones. ASCII text is
 * returned unchanged.
 *
 * LanceDB folds too, but after stemming: `resume` would not find `résumé`.
 */
export function foldText(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text
  return (
    text
      .normalize('NFKD')
      .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
      .replace(/[ßẞæÆœŒøØłŁđĐðÐþÞı]/g, (letter) => letters.get(letter) ?? letter)
      // Korean syllables and Japanese kana are composed again.
      .normalize('NFC')
  )
}
