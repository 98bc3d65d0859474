/** A calendar day as it stands in a text. `iso` is absent where the words do not name one day. */
export type FoundDate = { start: number; end: number; iso: string; time?: string }
/** A time of day as it stands in a text, as `HH:MM`. */
export type FoundTime = { start: number; end: number; clock: string }

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const weekdays = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')
const monthName =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?'
const iso = /\b(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s?(Z|[+-]\d{2}:?\d{2})?)?(?![\d-])/g
const dayFirst = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? (${monthName})(?:,? (\\d{4}))?\\b`, 'gi')
const monthFirst = new RegExp(`\\b(${monthName}) (\\d{1,2})(?:st|nd|rd|th)?(?!\\d)(?:,? (\\d{4}))?\\b`, 'gi')
const slashed = /\b(\d{1,4})[/.](\d{1,2})[/.](\d{2,4})\b/g
const relative = new RegExp(
  `\\b(?:(day after tomorrow)|(today|tonight)|(tomorrow)|(yesterday)|in (\\d+|an?|one|two|three|four|five|six|seven) (day|week)s?|(?:(?:next|this|coming) )?(${weekdays.join('|')}))\\b`,
  'gi',
)

/**
 * The days that a text names. Without a year it is the next such day; "tomorrow" and weekdays count from `today`.
 */
export function findDates(text: string, today: Date): FoundDate[] {
  const found: FoundDate[] = []
  const add = (match: RegExpMatchArray, day: string | undefined, time?: string): void => {
    const start = match.index ?? 0
    if (day === undefined || found.some((other) => start < other.end && other.start < start + match[0].length)) return
    found.push({ start, end: start + match[0].length, iso: day, ...(time === undefined ? {} : { time }) })
  }
  for (const match of text.matchAll(iso)) {
    const [, year, month, day, time, zone] = match
    add(match, toDay(Number(year), Number(month), Number(day)), time === undefined ? undefined : `${time}${zone ?? ''}`)
  }
  for (const match of text.matchAll(dayFirst)) add(match, namedDay(match[1], match[2], match[3], today))
  for (const match of text.matchAll(monthFirst)) add(match, namedDay(match[2], match[1], match[3], today))
  for (const match of text.matchAll(slashed)) add(match, slashedDay(match))
  for (const match of text.matchAll(relative)) {
    // "Play Yesterday by The Beatles": a capital within a sentence makes it a name, but for weekdays.
    const isName = /^[A-Z]/.test(match[0]) && match[7] === undefined && /[\p{L},]\s$/u.test(text.slice(0, match.index))
    if (!isName) add(match, relativeDay(match, today))
  }
  return found.sort((a, b) => a.start - b.start)
}

const clock =
  /\b(?:(\d{1,2})[:.](\d{2})(?::\d{2})?\s?(am|pm|a\.m\.|p\.m\.)?|(\d{1,2})\s?(am|pm|a\.m\.|p\.m\.)|(\d{1,2})\s?o['’]clock|(noon|midday|midnight))(?![\w:])/gi

/** The times of day that a text names. */
export function findTimes(text: string): FoundTime[] {
  return Array.from(text.matchAll(clock)).flatMap((match) => {
    const [, hour, minute, half, bareHour, bareHalf, oClock, named] = match
    // "3.50" is a price, "3.50 pm" and "3:50" are times.
    if (hour !== undefined && match[0].includes('.') && half === undefined) return []
    const value = named
      ? toClock(named.toLowerCase() === 'midnight' ? 0 : 12, 0)
      : toClock(toHour24(Number(hour ?? bareHour ?? oClock), half ?? bareHalf), Number(minute ?? 0))
    return value === undefined ? [] : [{ start: match.index, end: match.index + match[0].length, clock: value }]
  })
}

function toHour24(hour: number, half: string | undefined): number {
  if (half === undefined) return hour
  return (hour % 12) + (half.toLowerCase().startsWith('p') ? 12 : 0)
}

function toClock(hour: number, minute: number): string | undefined {
  if (hour > 23 || minute > 59) return undefined
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
}

function namedDay(day = '', month = '', year: string | undefined, today: Date): string | undefined {
  const monthNumber = months.indexOf(month.slice(0, 3).toLowerCase()) + 1
  if (year !== undefined) return toDay(Number(year), monthNumber, Number(day))
  const thisYear = toDay(today.getFullYear(), monthNumber, Number(day))
  const isPast = thisYear !== undefined && thisYear < addDays(today, 0)
  return isPast ? toDay(today.getFullYear() + 1, monthNumber, Number(day)) : thisYear
}

/** Year first, or a day that cannot be a month; anything else could be two days, so it is none. */
function slashedDay([, first, second, third]: RegExpMatchArray): string | undefined {
  if (first?.length === 4) return toDay(Number(first), Number(second), Number(third))
  const year = Number(third) < 100 ? 2000 + Number(third) : Number(third)
  if (Number(first) > 12 || first === second) return toDay(year, Number(second), Number(first))
  return Number(second) > 12 ? toDay(year, Number(first), Number(second)) : undefined
}

function relativeDay(match: RegExpMatchArray, today: Date): string {
  const [, afterTomorrow, now, tomorrow, yesterday, count, unit, weekday] = match
  if (afterTomorrow) return addDays(today, 2)
  if (now) return addDays(today, 0)
  if (tomorrow) return addDays(today, 1)
  if (yesterday) return addDays(today, -1)
  if (count !== undefined) {
    const words = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven']
    const number = /^an?$/i.test(count)
      ? 1
      : words.includes(count.toLowerCase())
        ? words.indexOf(count.toLowerCase())
        : Number(count)
    return addDays(today, number * (unit?.toLowerCase() === 'week' ? 7 : 1))
  }
  const ahead = (weekdays.indexOf(weekday?.toLowerCase() ?? '') - today.getDay() + 7) % 7
  return addDays(today, ahead === 0 ? 7 : ahead)
}

function addDays(today: Date, days: number): string {
  const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() + days)
  return toDay(day.getFullYear(), day.getMonth() + 1, day.getDate()) ?? ''
}

function toDay(year: number, month: number, day: number): string | undefined {
  const date = new Date(Date.UTC(year, month - 1, day))
  const isReal = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isReal ? date.toISOString().slice(0, 10) : undefined
}
