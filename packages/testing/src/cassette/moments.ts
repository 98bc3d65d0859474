import type { RecordedCall } from './parse-cassette.ts'

/** Ascending numbers as a short text: `[1, 2, 3, 7]` → `1-3 7`. */
export function formatMoments(moments: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const moment of moments) {
    const last = ranges.at(-1)
    if (last?.[1] === moment - 1) last[1] = moment
    else ranges.push([moment, moment])
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(' ')
}

export function parseMoments(text: string): number[] {
  return text.split(' ').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number)
    return Array.from({ length: to - from + 1 }, (_, index) => from + index)
  })
}

/**
 * Merges the moments of all calls into one order. Several processes may have recorded into one file, each with moments
 * from its own start: then a moment takes as many positions as calls have it.
 */
export function placesOf(calls: readonly RecordedCall[]): number[][] {
  const moments = calls.map(({ at }) => parseMoments(at))
  const all = moments.flatMap((own, call) => own.map((moment, index) => ({ moment, call, index })))
  all.sort((one, other) => one.moment - other.moment)
  const places = moments.map((): number[] => [])
  for (const [place, { call, index }] of all.entries()) (places[call] as number[])[index] = place
  return places
}
