import type { Span } from './find-cut.ts'

const fewest = 10
const most = 20
/** Of so many rows about one ends a passage that has enough of them. */
const oneOf = 5

/**
 * Whether rows are a passage without the next one.
 *
 * What the last of them says has a part in it: so a row that is put in between moves the cuts of some rows after it, and
 * not those of the whole rest of the table.
 */
export function isEnoughRows(text: string, rows: readonly Span[]): boolean {
  const last = rows.at(-1)
  if (last === undefined || rows.length < fewest) return false
  return rows.length >= most || numberOf(text, last) % oneOf === 0
}

/** Of the row's words, by FNV-1a. */
function numberOf(text: string, { start, end }: Span): number {
  let number = 0x811c9dc5
  for (let at = start; at < end; at++) number = Math.imul(number ^ text.charCodeAt(at), 0x01000193)
  return number >>> 0
}
