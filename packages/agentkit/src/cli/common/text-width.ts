import measure from 'fast-string-truncated-width'

/** How many columns of a terminal a line takes. */
export function textWidth(line: string): number {
  return measure(line).width
}

/** A line as it is, or its start with an ellipsis, in at most `columns`. */
export function fitToWidth(line: string, columns: number): string {
  const { index, ellipsed } = measure(line, { limit: columns, ellipsis: '…' })
  return ellipsed ? `${line.slice(0, index)}…` : line
}
