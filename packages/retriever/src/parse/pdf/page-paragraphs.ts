import type { Line } from './page-lines.ts'

/** Joins lines to paragraphs. */
export type Paragraph = { lines: Line[]; size: number }

/** Splits a page where the line gap is wider than usual, and where the font size changes. */
export function pageParagraphs(lines: readonly Line[]): Paragraph[] {
  const usual = usualGap(lines)
  const paragraphs: Paragraph[] = []
  let before: Line | undefined
  for (const line of lines) {
    const paragraph = paragraphs.at(-1)
    if (paragraph !== undefined && before !== undefined && continues(before, line, usual)) paragraph.lines.push(line)
    else paragraphs.push({ lines: [line], size: line.size })
    before = line
  }
  return paragraphs
}

/** Joins a word that is hyphenated at the end of a line. */
export function joinLines(lines: readonly Line[]): string {
  let text = ''
  for (const line of lines) {
    if (text === '') text = line.text
    else if (/\p{L}[-\u2010]$/u.test(text) && /^\s*\p{Ll}/u.test(line.text))
      text = text.slice(0, -1) + line.text.trimStart()
    else text += `\n${line.text}`
  }
  return text
}

function continues(before: Line, line: Line, usual: number): boolean {
  if (Math.abs(before.size - line.size) > Math.max(before.size, line.size) * 0.15) return false
  const gap = gapBetween(before, line)
  // The next line is higher, at the top of the next column: a sentence may continue there.
  return gap === undefined || gap <= 0 || gap <= Math.max(usual, line.size) * 1.3
}

function usualGap(lines: readonly Line[]): number {
  const gaps = lines
    .flatMap((line, place) => {
      const before = lines[place - 1]
      const gap = before === undefined ? undefined : gapBetween(before, line)
      return gap === undefined || gap < line.size / 2 || gap > line.size * 3 ? [] : [gap]
    })
    .sort((left, right) => left - right)
  return gaps[Math.floor(gaps.length / 2)] ?? 0
}

function gapBetween(before: Line, line: Line): number | undefined {
  return before.y === undefined || line.y === undefined ? undefined : before.y - line.y
}
