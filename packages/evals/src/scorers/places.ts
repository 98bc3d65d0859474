import type { Citation } from '@agentkit/core'

/** Such as "page 3", "pp. 3-4" or "rows 2–9". */
const placePattern = /\b(?:(page|row)s?|pp?\.) ?(\d{1,9})(?: ?[-–] ?(\d{1,9}))?(?![\d.,:]*\d)/gi

/** An answer without the pages and rows that it names and that are those of its sources. */
export function withoutPlaces(text: string, sources: readonly Citation[]): string {
  const spans = { page: spansOf(sources, 'page', 'pageEnd'), row: spansOf(sources, 'row', 'rowEnd') }
  return text.replaceAll(placePattern, (place, unit: string | undefined, first: string, last = first) => {
    const known = unit?.toLowerCase() === 'row' ? spans.row : spans.page
    return known.some(([from, to]) => from <= Number(first) && Number(last) <= to) ? ' ' : place
  })
}

type Span = readonly [from: number, to: number]

function spansOf(sources: readonly Citation[], from: 'page' | 'row', to: 'pageEnd' | 'rowEnd'): Span[] {
  return sources.flatMap((source) => {
    const first = source[from]
    return first === undefined ? [] : [[first, source[to] ?? first] as const]
  })
}
