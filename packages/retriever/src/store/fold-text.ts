/** Letters that Unicode does not take apart. */
const letters = new Map([
  ...Object.entries({ ß: 'ss', ẞ: 'SS', æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE', ø: 'o', Ø: 'O' }),
  ...Object.entries({ ł: 'l', Ł: 'L', đ: 'd', Đ: 'D', ð: 'd', Ð: 'D', þ: 'th', Þ: 'TH', ı: 'i' }),
])

/**
 * Text as it is searched: Latin letters without their accents, ligatures and wide letters as plain ones. A text of
 * ASCII stays as it is.
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
      // Korean syllables and Japanese kana are themselves again.
      .normalize('NFC')
  )
}
