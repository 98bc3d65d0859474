import { type FoundDate, findDates, findTimes } from './dates.ts'
import { findCurrencies, unitName } from './known-names.ts'
import { findNumbers } from './numbers.ts'
import { isStopWord } from './tokens.ts'

export type SpanKind =
  | 'quoted'
  | 'url'
  | 'email'
  | 'uuid'
  | 'hex'
  | 'ip'
  | 'date'
  | 'time'
  | 'phone'
  | 'path'
  | 'currency'
  | 'number'
  | 'unit'
  | 'code'
  | 'name'
  | 'phrase'
  | 'asked'

/** A piece of a message that could be an argument. */
export type Span = {
  kind: SpanKind
  start: number
  end: number
  /** What stands there, without quotes. */
  text: string
  /** The value of a number, the code of a currency, the day or clock of a date or time. */
  number?: number
  isPercent?: boolean
  inWords?: boolean
  code?: string
  date?: FoundDate
  clock?: string
  /** Directly at a number: `$5`, `5 USD`, `10 km`. */
  isAttached?: boolean
  /** A number that is a part of a name: 5 in "Room 5". */
  isInName?: boolean
  /** A capitalised first word of a sentence, which may be no name. */
  isInitial?: boolean
}

/** Spans are compared with one another, so a list of more than these says no more. */
const mostSpans = 100

/**
 * Everything in a text that could be an argument. Spans of one reading never overlap, except that words after a
 * preposition (`phrase`), the word after a number (`unit`) and a number in a name are given beside what else is there.
 */
export function findSpans(text: string, today: Date): Span[] {
  const spans: Span[] = []
  const isFree = (start: number, end: number): boolean => !spans.some((span) => start < span.end && span.start < end)
  const add = (span: Span): void => {
    if (spans.length < mostSpans && span.end > span.start && isFree(span.start, span.end)) spans.push(span)
  }
  for (const span of quotedSpans(text)) add(span)
  for (const [kind, pattern] of shapes) {
    for (const match of text.matchAll(pattern)) add(spanOf(kind, match))
  }
  for (const date of findDates(text, today)) add({ kind: 'date', ...range(text, date), date })
  for (const time of findTimes(text)) add({ kind: 'time', ...range(text, time), clock: time.clock })
  for (const match of text.matchAll(/\+\d[\d ()-]{6,}\d/g)) add(spanOf('phone', match))
  for (const match of text.matchAll(codeShape)) if (!notCodes.has(match[0])) add(spanOf('code', match))
  for (const found of findNumbers(text)) {
    const isPercent = /^\s?(?:%|percent\b|per cent\b)/.test(text.slice(found.end, found.end + 10))
    add({ kind: 'number', ...range(text, found), number: found.value, isPercent, inWords: found.inWords })
  }
  const codes = spans.filter((span) => span.kind === 'code')
  for (const found of findCurrencies(text)) {
    const code = codes.find((span) => span.start === found.start && span.end === found.end)
    if (code) Object.assign(code, { kind: 'currency', code: found.code })
    else add({ kind: 'currency', ...range(text, found), code: found.code })
  }
  for (const name of nameSpans(text)) add(name)
  extendNames(text, spans)
  markAttached(text, spans)
  spans.push(...[...unitSpans(text, spans), ...phraseSpans(text, spans), ...askedSpans(text)].slice(0, mostSpans))
  return spans.sort((a, b) => a.start - b.start)
}

const shapes: [SpanKind, RegExp][] = [
  ['url', /\b(?:https?|ftp|wss?):\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]]/gi],
  ['email', /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu],
  ['uuid', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi],
  ['hex', /\b0x[0-9a-f]+\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{24,}\b/gi],
  ['ip', /\b(?:\d{1,3}\.){3}\d{1,3}\b/g],
  [
    'path',
    /(?<![\w/])(?:~|\.{1,2})?\/[\w.-]+(?:\/[\w.-]+)*\/?|\b[A-Za-z][\w.-]*(?:\/[\w.-]+)+\/?|\b[\w-]+(?:\.[\w-]+)*\.[a-z][a-z0-9]{1,4}\b/g,
  ],
]

const codeShape =
  /(?<![\w#])#?(?:(?=[A-Z0-9_-]*[A-Z])(?=[A-Z0-9]{2}|[A-Z]-)[A-Z0-9]+(?:[-_][A-Z0-9]+)*|(?=[\w-]*\d)[A-Za-z][A-Za-z]*[-_]?\w*\d[\w-]*)(?![\w])/g
const notCodes = new Set(['AM', 'PM', 'OK', 'I'])

const quotePairs =
  /```(?:[a-z]*\n)?([\s\S]+?)```|"""([\s\S]+?)"""|"([^"]+)"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|`([^`]+)`|(?<![\p{L}\p{N}])'([^'\n]+(?:'\p{L}[^'\n]*)*)'(?![\p{L}\p{N}])|‘([^‘’\n]+)’/gu

function quotedSpans(text: string): Span[] {
  return Array.from(text.matchAll(quotePairs), (match) => ({
    kind: 'quoted' as const,
    start: match.index,
    end: match.index + match[0].length,
    text: (match.slice(1).find((group) => group !== undefined) ?? '').trim(),
  }))
}

function spanOf(kind: SpanKind, match: RegExpExecArray): Span {
  return { kind, start: match.index, end: match.index + match[0].length, text: match[0].replace(/^#/, '') }
}

function range(text: string, { start, end }: { start: number; end: number }): Pick<Span, 'start' | 'end' | 'text'> {
  return { start, end, text: text.slice(start, end) }
}

const nameShape =
  /(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{M}'’.-]*(?:\s(?:(?:of|de|la|le|the|von|van|der|da|del|du|al)\s){0,2}(?:[dl]['’])?\p{Lu}[\p{L}\p{M}'’.-]*)*/gu

/** Capitalised words that stand together. A sentence's first word counts only when it could be a name. */
function nameSpans(text: string): Span[] {
  return Array.from(text.matchAll(nameShape)).flatMap((match) => {
    let start = match.index
    // "at Luigi's" is the place's name, "Ada's email" belongs to Ada.
    const isPlace = /\bat\s$/i.test(text.slice(Math.max(0, start - 4), start))
    const bare = match[0].replace(/[.'’-]+$/, '')
    let name = isPlace ? bare : bare.replace(/['’]s$/, '')
    let isInitial = isSentenceStart(text, start)
    const [first = '', ...rest] = name.split(/\s+/)
    // "The Beatles" keeps its article within a sentence.
    if (isStopWord(first) && (isInitial || !/^the$/i.test(first) || rest.length === 0)) {
      if (rest.length === 0) return []
      start += name.length - rest.join(' ').length
      name = rest.join(' ')
      isInitial = false
    }
    return [{ kind: 'name' as const, start, end: start + name.length, text: name, isInitial }]
  })
}

/** "Room 5", "Gate 12": the number belongs to the name before it, where no word follows that it could count. */
function extendNames(text: string, spans: Span[]): void {
  for (const span of spans) {
    if (span.kind !== 'name' || span.isInitial) continue
    const number = /^ \d+(?![\p{L}\p{N}.,:%]|\s\p{L})|^ \d+(?=\s(\p{L}+))/u.exec(text.slice(span.end, span.end + 40))
    if (!number || (number[1] !== undefined && !isStopWord(number[1]))) continue
    const inside = spans.find(({ kind, start }) => kind === 'number' && start === span.end + 1)
    if (inside) inside.isInName = true
    span.end += number[0].length
    span.text += number[0]
  }
}

function isSentenceStart(text: string, start: number): boolean {
  return /(?:^|[.!?:\n]["“]?)\s*$/.test(text.slice(Math.max(0, start - 8), start)) || start === 0
}

/** Marks currencies that stand at a number. */
function markAttached(text: string, spans: Span[]): void {
  const numbers = spans.filter((span) => span.kind === 'number')
  for (const span of spans) {
    if (span.kind !== 'currency' && span.kind !== 'code') continue
    span.isAttached = numbers.some(
      ({ start, end }) =>
        (end <= span.start && /^\s?$/.test(text.slice(end, span.start))) ||
        (span.end <= start && /^\s?$/.test(text.slice(span.end, start))),
    )
  }
}

/** The word that stands at a number: "10 km", "20°C", "300 kelvin". */
function unitSpans(text: string, spans: readonly Span[]): Span[] {
  return spans.flatMap((span) => {
    if (span.kind !== 'number') return []
    const match = /^\s?(?:degrees?\s)?(°?[\p{L}µ]+(?:\/[\p{L}]+)?|°)/u.exec(text.slice(span.end, span.end + 40))
    const word = match?.[1]
    if (!match || word === undefined || isStopWord(word)) return []
    const unitStart = span.end + match[0].length - word.length
    // "250 USD" is money, "2.5 pounds" may be a weight.
    if (!unitName(word) && spans.some(({ kind, start }) => kind === 'currency' && start === unitStart)) return []
    const end = span.end + match[0].length
    return [
      { kind: 'unit' as const, start: end - word.length, end, text: word.replace(/^°(?=.)/, ''), isAttached: true },
    ]
  })
}

const prepositions = 'in|for|at|near|of|to|into|from|about|on|by|with|around|called|named|titled|under|after|between'
const phraseStart = new RegExp(`\\b(?:${prepositions})\\s+(?:(?:the|a|an|my|our)\\s+)?`, 'giu')
const phraseEnd = new RegExp(
  `[.,;:!?()"“”\\n]|\\s(?:${prepositions}|and|or|then|but|please|today|tonight|tomorrow|yesterday|now|right|this|next|is|are|was|has|have|do|does|will|would|should|using|as|if|when)(?![\\p{L}\\p{N}])|\\s[-–—]\\s`,
  'iu',
)

/** Words after a preposition, up to the next one: "weather in new york tomorrow" has "new york". */
function phraseSpans(text: string, spans: readonly Span[]): Span[] {
  const quoted = spans.filter((span) => span.kind === 'quoted' || span.kind === 'url')
  return Array.from(text.matchAll(phraseStart)).flatMap((match) => {
    const start = match.index + match[0].length
    if (quoted.some((span) => match.index < span.end && span.start < start + 1)) return []
    const phrases: Span[] = []
    let from = start
    // "in paris, london and rome" is three phrases.
    for (let count = 0; count < 8; count++) {
      const end = endOfPhrase(text, from)
      const words = text.slice(from, end).trim()
      if (words === '' || words.length > 80) break
      phrases.push({ kind: 'phrase', start: from, end: from + words.length, text: words })
      const next =
        /^\s*(?:,\s*(?:and\s+|or\s+)?|\s(?:and|or)\s+)(?=[\p{L}]+(?:\s[\p{L}]+)?\s*(?:$|[,.;!?]|\s(?:and|or)\s))/u.exec(
          text.slice(end),
        )
      if (!next) break
      from = end + next[0].length
    }
    return phrases
  })
}

function endOfPhrase(text: string, start: number): number {
  const found = phraseEnd.exec(text.slice(start, start + 120))
  return found ? start + found.index : Math.min(text.length, start + 120)
}

/** What is counted or wanted: "how many miles", "what language". */
function askedSpans(text: string): Span[] {
  return Array.from(text.matchAll(/\bhow (?:many|much)\s+(\p{L}+)/giu)).flatMap((match) => {
    const word = match[1] ?? ''
    const end = match.index + match[0].length
    return isStopWord(word) ? [] : [{ kind: 'asked' as const, start: end - word.length, end, text: word }]
  })
}
