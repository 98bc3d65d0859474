/** Names that everybody knows by another spelling: currencies, units, time zones, languages. From `Intl` where it has them. */

const currencyWords: Record<string, string> = {
  $: 'USD',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  '₹': 'INR',
  '₿': 'BTC',
  dollar: 'USD',
  dollars: 'USD',
  buck: 'USD',
  bucks: 'USD',
  euro: 'EUR',
  euros: 'EUR',
  pound: 'GBP',
  pounds: 'GBP',
  sterling: 'GBP',
  yen: 'JPY',
  franc: 'CHF',
  francs: 'CHF',
  rupee: 'INR',
  rupees: 'INR',
  yuan: 'CNY',
  renminbi: 'CNY',
  won: 'KRW',
  bitcoin: 'BTC',
  ether: 'ETH',
}
const commonCodes =
  'usd eur gbp jpy chf cad aud nzd cny inr sek nok dkk pln czk huf brl mxn krw zar try sgd hkd btc eth'
const currencyCodes = new Set([...Intl.supportedValuesOf('currency'), 'BTC', 'ETH'])
const currencyShape = new RegExp(
  `[$€£¥₹₿]|(?<![\\p{L}\\p{N}])(?:${Object.keys(currencyWords)
    .filter((word) => /^\w/.test(word))
    .join('|')}|${commonCodes.replaceAll(' ', '|')})(?![\\p{L}\\p{N}])`,
  'giu',
)

/** Currencies in a text, by code, symbol or word, as their codes. */
export function findCurrencies(text: string): { start: number; end: number; code: string }[] {
  const found = [...text.matchAll(currencyShape), ...text.matchAll(/(?<![\w-])[A-Z]{3}(?![\w-])/g)]
  return found.flatMap((match) => {
    const word = match[0].toLowerCase()
    const code = currencyWords[word] ?? match[0].toUpperCase()
    // "won", "try" and "pound" are words too: without a capital code they count only at a number.
    const isWord = word === 'won' || match[0] === 'try'
    if (!currencyCodes.has(code) || isWord) return []
    return [{ start: match.index, end: match.index + match[0].length, code }]
  })
}

const unitNames: Record<string, readonly string[]> = {
  kilometer: ['km', 'kilometre'],
  meter: ['m', 'metre'],
  centimeter: ['cm', 'centimetre'],
  millimeter: ['mm', 'millimetre'],
  mile: ['mi'],
  foot: ['ft', 'feet'],
  inch: ['in', 'inches'],
  yard: ['yd'],
  kilogram: ['kg', 'kilo'],
  gram: ['g', 'gramme'],
  milligram: ['mg'],
  pound: ['lb', 'lbs'],
  ounce: ['oz'],
  tonne: ['t'],
  liter: ['l', 'litre'],
  milliliter: ['ml', 'millilitre'],
  gallon: ['gal'],
  celsius: ['c', '°c', 'centigrade'],
  fahrenheit: ['f', '°f'],
  kelvin: ['k'],
  second: ['s', 'sec'],
  minute: ['min'],
  hour: ['h', 'hr'],
  kilobyte: ['kb'],
  megabyte: ['mb'],
  gigabyte: ['gb'],
  terabyte: ['tb'],
  cup: [],
  pint: ['pt'],
  quart: ['qt'],
  tablespoon: ['tbsp'],
  teaspoon: ['tsp'],
  stone: ['st'],
  acre: [],
  hectare: ['ha'],
  knot: ['kn', 'kt'],
  day: [],
  week: [],
}
const unitAliases = new Map<string, string>()
for (const [unit, aliases] of Object.entries(unitNames)) {
  for (const alias of [unit, ...aliases]) unitAliases.set(alias, unit)
}

/** A unit's one name, whatever its spelling: `km`, `Kilometres` and `kilometer` are one. */
export function unitName(word: string): string | undefined {
  const lower = word.toLowerCase()
  return (
    unitAliases.get(lower) ?? unitAliases.get(lower.replace(/e?s$/, '')) ?? unitAliases.get(lower.replace(/s$/, ''))
  )
}

/** What an enum's code is called: `fr` → French, `DE` → Germany, `EUR` → Euro. */
export function displayNames(code: string): string[] {
  const kinds = [
    ['language', /^[a-z]{2}(?:-[A-Z]{2})?$/],
    ['region', /^[A-Z]{2}$/],
    ['currency', /^[A-Z]{3}$/],
  ] as const
  return kinds.flatMap(([type, shape]) => {
    if (!shape.test(code)) return []
    const name = new Intl.DisplayNames('en', { type, fallback: 'none' }).of(code)
    return name === undefined ? [] : [name]
  })
}

let languages: Map<string, string> | undefined

/** The languages that a text names in English, with their two-letter codes. */
export function findLanguages(text: string): { start: number; end: number; code: string }[] {
  languages ??= new Map(
    codesOf('language', 'abcdefghijklmnopqrstuvwxyz').map(([code, name]): [string, string] => [
      name.toLowerCase(),
      code,
    ]),
  )
  return Array.from(text.matchAll(/\p{L}+/gu)).flatMap((match) => {
    const code = languages?.get(match[0].toLowerCase())
    return code === undefined ? [] : [{ start: match.index, end: match.index + match[0].length, code }]
  })
}

let regions: Map<string, string> | undefined

/** The two-letter code of a country by its English name. */
export function regionCode(name: string): string | undefined {
  regions ??= new Map(
    codesOf('region', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ').map(([code, known]): [string, string] => [
      known.toLowerCase(),
      code,
    ]),
  )
  return regions.get(name.toLowerCase())
}

/** Every two-letter code that has a name, with it. */
function codesOf(type: 'language' | 'region', letters: string): [string, string][] {
  const names = new Intl.DisplayNames('en', { type, fallback: 'none' })
  return [...letters].flatMap((first) =>
    [...letters].flatMap((second): [string, string][] => {
      const name = names.of(first + second)
      return name === undefined ? [] : [[first + second, name]]
    }),
  )
}

let zones: Map<string, string> | undefined

/** The IANA time zone that a text names, by its own name or by its city. */
export function findTimeZone(text: string): { start: number; end: number; zone: string } | undefined {
  zones ??= new Map(
    [...Intl.supportedValuesOf('timeZone'), 'UTC', ...Object.values(renamedZones)].flatMap((zone) => [
      [zone.toLowerCase(), zone],
      [(zone.split('/').at(-1) ?? zone).replaceAll('_', ' ').toLowerCase(), zone],
    ]),
  )
  for (const [city, zone] of Object.entries(renamedZones)) zones.set(city, zone)
  zones.set('gmt', 'UTC')
  const words = [...text.matchAll(/[\p{L}\p{N}_/+-]+/gu)]
  for (let length = 3; length >= 1; length--) {
    for (let index = 0; index + length <= words.length; index++) {
      const start = words[index]?.index ?? 0
      const last = words[index + length - 1]
      const end = (last?.index ?? 0) + (last?.[0].length ?? 0)
      const zone = zones.get(text.slice(start, end).toLowerCase())
      if (zone !== undefined) return { start, end, zone }
    }
  }
  return undefined
}

/** Zones that engines still list under an older name. */
const renamedZones: Record<string, string> = {
  kolkata: 'Asia/Kolkata',
  kyiv: 'Europe/Kyiv',
  'ho chi minh city': 'Asia/Ho_Chi_Minh',
  kathmandu: 'Asia/Kathmandu',
  yangon: 'Asia/Yangon',
}
