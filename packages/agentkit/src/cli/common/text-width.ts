/** Characters that add nothing to the width: marks on others, joiners, and selectors of a form. */
const isMark = /^[\p{Mn}\p{Me}\p{Cf}]$/u
/** Characters that a terminal shows in two columns: of Chinese, Japanese and Korean, and emoji. */
const isWide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u

/** How many columns of a terminal a line takes. */
export function textWidth(line: string): number {
  let width = 0
  for (const character of line) width += widthOf(character)
  return width
}

/** The begin of a line that takes at most `columns`. */
export function cutToWidth(line: string, columns: number): string {
  let width = 0
  let end = 0
  for (const character of line) {
    width += widthOf(character)
    if (width > columns) break
    end += character.length
  }
  return line.slice(0, end)
}

function widthOf(character: string): number {
  // Most texts need no table.
  if (character < '\u0300') return 1
  return isMark.test(character) ? 0 : isWide.test(character) ? 2 : 1
}
