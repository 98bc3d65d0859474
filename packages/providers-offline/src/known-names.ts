import { type Word, wordsOf } from './words.ts'

/** The spellings of each unit; a plural "s" counts as none. */
const units = new Map(
  (
    'kilometer km kilometre, meter m metre, centimeter cm, millimeter mm, mile mi, foot ft feet, inch in inche, ' +
    'kilogram kg kilo, gram g, pound lb, ounce oz, liter l litre, celsius c, fahrenheit f, hour h, minute min'
  )
    .split(', ')
    .flatMap((unit) => unit.split(' ').map((spelling) => [spelling, unit] as const)),
)

/** The key of a unit, which is the same for all its spellings; `undefined` for other words. */
export function unitOf(word: string): string | undefined {
  const lower = word.toLowerCase()
  return units.get(lower) ?? (lower.endsWith('s') ? units.get(lower.slice(0, -1)) : undefined)
}

/** `America/New_York` and "america new york" are one. */
const wordKey = (words: readonly Word[]): string => words.map(({ text }) => text.toLowerCase()).join(' ')
let zones: Map<string, string> | undefined

/** The IANA time zone that a text names, itself or by its city. */
export function findTimeZone(text: string): { start: number; end: number; zone: string } | undefined {
  zones ??= new Map(
    ['UTC', 'Asia/Kolkata', 'Europe/Kyiv', ...Intl.supportedValuesOf('timeZone')].flatMap((zone) => [
      [wordKey(wordsOf(zone)), zone],
      [wordKey(wordsOf(zone.slice(zone.lastIndexOf('/') + 1))), zone],
    ]),
  )
  const words = wordsOf(text)
  for (let length = 4; length >= 1; length--) {
    for (let at = 0; at + length <= words.length; at++) {
      const some = words.slice(at, at + length)
      const zone = zones.get(wordKey(some))
      if (zone !== undefined) return { start: some[0]?.start ?? 0, end: some.at(-1)?.end ?? 0, zone }
    }
  }
  return undefined
}
