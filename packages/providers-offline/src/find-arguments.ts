import type { JSONSchema, JSONValue } from '@agentkit/core'
import { findDateTimes } from './find-date-times.ts'
import { findValues, type Value, type ValueKind } from './find-values.ts'
import { findTimeZone, unitOf } from './known-names.ts'
import { isStopWord, stem, stemsOf, type Word, wordsOf } from './words.ts'

/** A message with all that could be an argument. */
export type MessageText = { text: string; words: Word[]; values: Value[] }

/** A property of a schema; `words` are the stems of its name. */
export type Parameter = { name: string; schema: JSONSchema; description: string; words: string[]; isRequired: boolean }

type Place = { start: number; end: number }
/** A value of the message for a parameter; `isCertain` where nothing else can be meant, as with a word of an enum. */
export type Argument = { parameter: Parameter; value: JSONValue; place: Place; isCertain?: boolean }
type Candidate = Argument & { score: number }

const mostAllowed = 200
/** Longer words of an enum are not read, and a pattern of a user's schema is tried on no longer texts. */
const longestMatched = 200

export function readMessage(text: string, today: Date): MessageText {
  return { text, words: wordsOf(text), values: findValues(text, today) }
}

export function isSchema(value: unknown): value is JSONSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Everything in a message that a parameter could take, each with how well it fits. */
export function candidatesFor(parameter: Parameter, message: MessageText, ownWords: ReadonlySet<string>): Candidate[] {
  const { schema } = parameter
  const types = [schema.type].flat()
  const allowed = Array.isArray(schema.enum) ? schema.enum : types.includes('boolean') ? [true, false] : undefined
  if (allowed) return enumCandidates(parameter, allowed, message)
  if (types.includes('array')) return listCandidates(parameter, message)
  if (types.includes('object')) return []
  const isNumber = types.includes('number') || types.includes('integer')
  const found = isNumber ? numberCandidates(parameter, message) : textCandidates(parameter, message, ownWords)
  return found.filter(({ value }) => fits(value, schema))
}

/** The part of a JSON Schema that a value of a message can fail; the loop checks all of it. */
function fits(value: JSONValue, { type, minimum, maximum, pattern, maxLength }: JSONSchema): boolean {
  if (typeof value === 'number') {
    const isWhole = type !== 'integer' || Number.isInteger(value)
    return isWhole && value >= Number(minimum ?? -Infinity) && value <= Number(maximum ?? Infinity)
  }
  if (typeof value !== 'string' || value.length > Number(maxLength ?? Infinity)) return false
  if (typeof pattern !== 'string') return true
  try {
    return value.length <= longestMatched && new RegExp(pattern, 'u').test(value)
  } catch {
    return false
  }
}

/** Words before a value, and stems of the parameters that they announce; a number announces the unit that it has. */
const announcing = new Map(
  Object.entries({
    from: 'from source origin start',
    to: 'to target destination recipient language into',
    into: 'to target language into',
    in: 'in to target unit city place location country language room zone timezone',
    for: 'for name person customer user city guest people topic query',
    at: 'at time place location restaurant',
    on: 'date day',
    about: 'topic subject query',
    many: 'to target unit',
    much: 'to target',
    '0': 'from source unit',
  }).map(([word, names]) => [word, new Set(stemsOf(names))]),
)
const skipped = new Set(['the', 'a', 'an', 'my', 'our', 'is', 'of', 'number', 'no'])

/** How plainly the words around a value say that it is for a parameter: by its name, a preposition or a number. */
function cueOf({ words: own }: Parameter, { start, end }: Place, { text, words }: MessageText): number {
  const after = words[firstAt(words, end)]
  if (after && own.includes(after.stem) && !isStopWord(after.text) && after.start - end <= 2) return 1
  let at = firstAt(words, start) - 1
  while (skipped.has(words[at]?.text.toLowerCase() ?? '')) at--
  const before = words[at]
  if (!before || text.slice(before.end, start).includes('\n')) return 0
  if (own.includes(before.stem)) return 1
  const announced = announcing.get(/^\d/.test(before.text) ? '0' : before.text.toLowerCase())
  return own.some((word) => announced?.has(word)) ? 0.5 : 0
}

/** The index of the first word from a place on. */
function firstAt(words: readonly Word[], place: number): number {
  let [low, high] = [0, words.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((words[middle]?.start ?? 0) < place) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * The allowed values whose words are in the message; a unit in any spelling, also directly after its number: "10km".
 */
function enumCandidates(parameter: Parameter, allowed: readonly unknown[], message: MessageText): Candidate[] {
  const { words } = message
  return allowed.slice(0, mostAllowed).flatMap((value) => {
    const name = String(value).slice(0, longestMatched)
    const stems = stemsOf(name)
    const unit = unitOf(name)
    return words.flatMap((word, at): Candidate[] => {
      const isNamed = stems.length > 0 && stems.every((one, offset) => words[at + offset]?.stem === one)
      const [, glued] = /^\d+(\p{L}+)$/u.exec(word.text.slice(0, longestMatched)) ?? []
      // "in" is inches only after a number.
      const isUnit = !isStopWord(word.text) || /^\d/.test(words[at - 1]?.text ?? '')
      if (!isNamed && !(isUnit && unit !== undefined && unitOf(glued ?? word.text) === unit)) return []
      const start = glued === undefined ? word.start : word.end - glued.length
      const end = isNamed ? (words[at + stems.length - 1]?.end ?? word.end) : word.end
      const score = 1 + cueOf(parameter, { start, end }, message)
      return [{ parameter, value: value as JSONValue, place: { start, end }, score, isCertain: true }]
    })
  })
}

/** The items between brackets; else all numbers, or all quoted texts, of the message. */
function listCandidates(parameter: Parameter, { values }: MessageText): Candidate[] {
  const isNumber = isSchema(parameter.schema.items) && /^(?:number|integer)$/.test(String(parameter.schema.items.type))
  const lists = values.flatMap((found): Candidate[] => {
    const parts = found.kind === 'list' ? found.text.split(',').map((part) => part.trim()) : []
    const value = isNumber ? parts.map(Number) : parts
    const isUsable = value.length > 0 && value.every((one) => one !== '' && !Number.isNaN(one))
    return isUsable ? [{ parameter, value, place: found, score: 1 }] : []
  })
  const items = values.filter(({ kind }) => kind === (isNumber ? 'number' : 'quoted'))
  const [first, last] = [items[0], items.at(-1)]
  if (lists.length > 0 || !first || !last) return lists
  const value = items.map(({ text, number }) => (isNumber ? (number ?? 0) : text))
  return [{ parameter, value, place: { start: first.start, end: last.end }, score: 0.5 }]
}

function numberCandidates(parameter: Parameter, message: MessageText): Candidate[] {
  return message.values.flatMap((place): Candidate[] => {
    if (place.number === undefined) return []
    return [{ parameter, value: place.number, place, score: 0.5 + cueOf(parameter, place, message) }]
  })
}

type Fit = Partial<Record<ValueKind, number>>
const textFit: Fit = { quoted: 1 }
const thingFit: Fit = { quoted: 0.9, name: 0.8, code: 0.6, email: 0.4, url: 0.4, number: 0.1 }
/** The meaning of a text parameter by a word of its name, else of its description, and the values that fit it. */
const roles: readonly [words: string, fit: Fit][] = [
  ['email mail', { email: 1 }],
  ['url uri link website', { url: 1 }],
  ['date day deadline', { date: 1 }],
  ['id hash code symbol ticker number invoice order', { code: 1, number: 0.5, quoted: 0.7, name: 0.3 }],
  ['text message body title content note item todo query question topic subject reason', textFit],
]
const byFormat: Readonly<Record<string, Fit>> = { email: { email: 1 }, uri: { url: 1 }, date: { date: 1 } }
const byPattern: Fit = { code: 1, quoted: 0.8, number: 0.6, date: 0.6 }

function fitOf({ words, description, schema }: Parameter): Fit {
  if (typeof schema.format === 'string') return byFormat[schema.format] ?? byPattern
  if (typeof schema.pattern === 'string') return byPattern
  const byWords = (own: readonly string[]): Fit | undefined =>
    roles.find(([names]) => stemsOf(names).some((word) => own.includes(word)))?.[1]
  return byWords(words) ?? byWords(stemsOf(description).slice(0, 8)) ?? thingFit
}

/** Whether a parameter takes the rest of a message where nothing else fits it: a name, or a text of any length. */
export function isFreeText(parameter: Parameter, length: 'short' | 'long' = 'short'): boolean {
  const { type, enum: allowed } = parameter.schema
  const fit = allowed === undefined && (type === 'string' || type === undefined) ? fitOf(parameter) : undefined
  return fit === textFit || (fit === thingFit && length === 'short' && !isTimeZone(parameter))
}

function textCandidates(parameter: Parameter, message: MessageText, ownWords: ReadonlySet<string>): Candidate[] {
  if (isTimeZone(parameter)) return timeZoneCandidates(parameter, message)
  const { format, pattern } = parameter.schema
  if (format === 'date-time') return dateTimeCandidates(parameter, message)
  const isShaped = format !== undefined || pattern !== undefined
  const fit = fitOf(parameter)
  const found = message.values.flatMap((one): Candidate[] => {
    const own = fit[one.kind] ?? 0
    const isName = one.kind === 'name'
    if (own === 0 || (isName && stemsOf(one.text).every((word) => ownWords.has(word)))) return []
    // The first word of a sentence has a capital letter without being a name.
    const isGuess = isName && one.isInitial && !one.text.includes(' ')
    const score = own + cueOf(parameter, one, message) - (isGuess ? 0.5 : 0)
    return [{ parameter, value: one.text, place: one, score, isCertain: isShaped }]
  })
  return isShaped ? found : [...labelledCandidates(parameter, message), ...found]
}

function dateTimeCandidates(parameter: Parameter, message: MessageText): Candidate[] {
  return findDateTimes(message.text, message.values).map(({ text: value, ...place }) => {
    return { parameter, value, place, score: 1 + cueOf(parameter, place, message), isCertain: true }
  })
}

/** The text after the name of the parameter and a colon: "name: Ada Lovelace, …". */
function labelledCandidates(parameter: Parameter, { text, words }: MessageText): Candidate[] {
  const label = words.find(({ stem, end }) => stem === parameter.words.at(-1) && text[end] === ':')
  if (!label) return []
  const start = label.end + 1
  const ends = [',', ';', '\n', '. '].map((end) => text.indexOf(end, start)).filter((end) => end >= 0)
  const end = Math.min(text.length, ...ends)
  const value = text.slice(start, end).trim()
  return value === '' ? [] : [{ parameter, value, place: { start, end }, score: 2 }]
}

const timeZone = stemsOf('time zone')

function isTimeZone({ words, description }: Parameter): boolean {
  const stems = [...words, ...stemsOf(description)]
  return words.includes(stem('timezone')) || timeZone.every((word) => stems.includes(word))
}

/** A known city or zone; else a name in a place where a zone could be. */
function timeZoneCandidates(parameter: Parameter, { text, values }: MessageText): Candidate[] {
  const found = findTimeZone(text)
  if (found) return [{ parameter, value: found.zone, place: found, score: 1 }]
  const names = values.filter(({ kind, isInitial }) => kind === 'name' && !isInitial)
  return names.map((name) => ({ parameter, value: name.text, place: name, score: 0.5 }))
}
