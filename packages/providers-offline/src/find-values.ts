import { isStopWord } from './words.ts'

export type ValueKind = 'quoted' | 'list' | 'number' | 'date' | 'email' | 'url' | 'code' | 'name'

/** A piece of a message that could be an argument. */
export type Value = { kind: ValueKind; start: number; end: number; text: string; number?: number; isInitial?: boolean }

/** A word between white space, without the punctuation around it. */
type Token = { text: string; start: number; end: number; isInitial: boolean; endsPart: boolean }
type Found = { kind: ValueKind; count: number; text?: string; number?: number }

const mostValues = 100
/** Longer ones are no numbers, dates or codes. */
const longestToken = 100

/** Everything in a message that could be an argument, in its order; no two overlap. */
export function findValues(text: string, today: Date): Value[] {
  const values = enclosedValues(text)
  const isFree = ({ start, end }: Token): boolean => !values.some((one) => start < one.end && one.start < end)
  const tokens = tokensOf(text).filter(isFree)
  for (let at = 0; at < tokens.length && values.length < mostValues; ) {
    const found = shapeAt(tokens, at, today) ?? nameAt(tokens, at)
    const [first, last] = [tokens[at], tokens[at + (found?.count ?? 1) - 1]]
    if (found && first && last) {
      const { count: _, ...value } = { text: text.slice(first.start, last.end), ...found }
      values.push({ ...value, start: first.start, end: last.end, isInitial: first.isInitial })
    }
    at += found?.count ?? 1
  }
  return values.sort((a, b) => a.start - b.start)
}

const isLetter = (char = ''): boolean => /[\p{L}\p{N}]/u.test(char)
const pairs = ['""', '“”', '„“', '«»', '``', "''", '‘’', '[]']

/** The texts between quotes or brackets. Each kind of quote or bracket is read once, from the beginning to the end. */
function enclosedValues(text: string): Value[] {
  const found: Value[] = []
  for (const [open = '', close = ''] of pairs) {
    for (let start = text.indexOf(open); start >= 0; ) {
      const end = text.indexOf(close, start + 1)
      if (end < 0) break
      // An apostrophe is part of a word: "don't", "the users' mail".
      const isApostrophe = isLetter(text[start - 1]) || isLetter(text[end + 1])
      const kind = open === '[' ? 'list' : 'quoted'
      if (!isApostrophe) found.push({ kind, start, end: end + 1, text: text.slice(start + 1, end).trim() })
      start = text.indexOf(open, isApostrophe ? start + 1 : end + 1)
    }
  }
  const sorted = found.filter(({ text }) => text !== '').sort((a, b) => a.start - b.start)
  return sorted.filter(({ start }, at) => start >= (sorted[at - 1]?.end ?? 0)).slice(0, mostValues / 2)
}

function tokensOf(text: string): Token[] {
  let isInitial = true
  return Array.from(text.matchAll(/\S+/g)).flatMap(({ 0: raw, index }): Token[] => {
    let [from, to] = [0, raw.length]
    while (from < to && !/[\p{L}\p{N}$€£¥#+-]/u.test(raw[from] ?? '')) from++
    while (to > from && !/[\p{L}\p{M}\p{N}%$€£¥°]/u.test(raw[to - 1] ?? '')) to--
    if (to - from > 2 && /^['’]s$/.test(raw.slice(to - 2, to))) to -= 2
    const place = { start: index + from, end: index + to }
    const token = { text: raw.slice(from, to), ...place, isInitial, endsPart: to < raw.length }
    isInitial = /[.!?:]$/.test(raw)
    return from === to ? [] : [token]
  })
}

function shapeAt(tokens: readonly Token[], at: number, today: Date): Found | undefined {
  const { text = '' } = tokens[at] ?? {}
  if (text.includes('://')) return { kind: 'url', count: 1 }
  if (text.length > longestToken) return undefined
  const date = dateAt(tokens, at, today)
  if (date) return date
  if (/^[^@]+@[^@]+\.[^@.]+$/.test(text)) return { kind: 'email', count: 1 }
  const number = numberOf(text)
  if (number !== undefined) return { kind: 'number', count: 1, number }
  const plain = text.startsWith('#') ? text.slice(1) : text
  const isCode = /^[\p{L}\p{N}._/:-]+$/u.test(plain) && (/\d/.test(plain) || /^[A-Z]{2,}$/.test(plain))
  return isCode ? { kind: 'code', count: 1, text: plain } : undefined
}

/** The number that a token says: `1,250.50`, `$5`, `10km`, `15%`. */
function numberOf(text: string): number | undefined {
  const shape = /^([+-]?)[$€£¥]?(\d{1,3}(?:,\d{3})+|\d+)?(\.\d+)?(?:[%°$€£¥]|°?[A-Za-z]{1,12})?$/
  const [, sign, whole = '', part = ''] = shape.exec(text) ?? []
  return sign === undefined || whole + part === '' ? undefined : Number(sign + whole.replaceAll(',', '') + part)
}

const months = 'january february march april may june july august september october november december'.split(' ')
const weekdays = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')
const relativeDays = new Map(Object.entries({ yesterday: -1, today: 0, tonight: 0, tomorrow: 1 }))

/** `2026-03-05`, "5 March", "March 5th, 2027", "tomorrow", "Friday": the next one, counted from today. */
function dateAt(tokens: readonly Token[], at: number, today: Date): Found | undefined {
  const word = (offset: number): string => tokens[at + offset]?.text.toLowerCase() ?? ''
  const first = word(0)
  if (/^\d{4}-\d{2}-\d{2}$/.test(first)) return { kind: 'date', count: 1 }
  const weekday = weekdays.indexOf(first)
  const away = weekday < 0 ? relativeDays.get(first) : ((weekday - today.getDay() + 6) % 7) + 1
  if (away !== undefined) return { kind: 'date', count: 1, text: isoDay(today, away) }
  const [monthWord, dayWord] = /^\d/.test(first) ? [word(1), first] : [first, word(1)]
  const [, day] = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(dayWord) ?? []
  const month = monthWord.length < 3 ? -1 : months.findIndex((name) => name.startsWith(monthWord))
  if (day === undefined || month < 0) return undefined
  const hasYear = /^\d{4}$/.test(word(2))
  const date = new Date(hasYear ? Number(word(2)) : today.getFullYear(), month, Number(day))
  if (!hasYear && isoDay(date, 0) < isoDay(today, 0)) date.setFullYear(date.getFullYear() + 1)
  return { kind: 'date', count: hasYear ? 3 : 2, text: isoDay(date, 0) }
}

function isoDay(date: Date, away: number): string {
  return new Date(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate() + away)).toISOString().slice(0, 10)
}

/** Capitalised words that follow each other: "New York". The first word of a sentence may be no name. */
function nameAt(tokens: readonly Token[], at: number): Found | undefined {
  const isName = (token: Token | undefined): boolean => token !== undefined && /^\p{Lu}[^\d]*$/u.test(token.text)
  if (!isName(tokens[at]) || isStopWord(tokens[at]?.text ?? '')) return undefined
  let count = 1
  while (count < 6 && !tokens[at + count - 1]?.endsPart && isName(tokens[at + count])) count++
  return { kind: 'name', count }
}
