import type { Span } from './find-cut.ts'

const fewest = 10
const most = 20
/** About one of this many rows ends a passage that is long enough. */
const oneOf = 5

/**
 * Whether a passage of rows ends before the next row.
 *
 * The decision depends on the content of the last row, so an inserted row moves only the cuts shortly after it, not all
 * cuts of the rest of the table (content-defined chunking).
 */
export function isEnoughRows(text: string, rows: readonly Span[]): boolean {
  const last = rows.at(-1)
  if (last === undefined || rows.length < fewest) return false
  return rows.length >= most || numberOf(text, last) % oneOf === 0
}

/** FNV-1a hash of the row's text. */
function numberOf(text: string, { start, end }: Span): number {
  let number = 0x811c9dc5
  for (let at = start; at < end; at++) number = Math.imul(number ^ text.charCodeAt(at), 0x01000193)
  return number >>> 0
}
