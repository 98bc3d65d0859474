import type { JSONSchema } from '@agentkit/core'
import { booleanCandidates } from './boolean-candidates.ts'
import { type Candidate, leastScore } from './candidate.ts'
import { isSchema, satisfies } from './check-value.ts'
import { cueScore } from './cues.ts'
import { enumCandidates } from './enum-candidates.ts'
import { findExpression } from './find-expression.ts'
import type { Span, SpanKind } from './find-spans.ts'
import { findLanguages, findTimeZone } from './known-names.ts'
import { listCandidates } from './list-candidates.ts'
import { type MessageText, wordsBefore } from './message-text.ts'
import type { Parameter, Role } from './parameters.ts'
import { spellingsOf } from './spell-value.ts'
import { contentStems, stem } from './tokens.ts'
import { isCommonVerb } from './tool-words.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Everything in a message that a parameter could take; each value satisfies its schema. */
export function candidatesFor(parameter: Parameter, message: MessageText, toolWords: Vocabulary): Candidate[] {
  return parameter.choices.flatMap((schema) => {
    const found = ofType(parameter, schema, message, toolWords)
    return found.filter(({ value, score }) => score >= leastScore && satisfies(value, schema))
  })
}

function ofType(parameter: Parameter, schema: JSONSchema, message: MessageText, toolWords: Vocabulary): Candidate[] {
  if (Array.isArray(schema.enum)) return enumCandidates(parameter, schema.enum, message, toolWords)
  if ('const' in schema) return []
  switch (schema.type) {
    case 'boolean':
      return booleanCandidates(parameter, message)
    case 'number':
    case 'integer':
      return numberCandidates(parameter, schema, message)
    case 'array':
      return listCandidates(parameter, isSchema(schema.items) ? schema.items : {}, message, toolWords, ofType)
    case 'object':
      return []
    default:
      return textCandidates(parameter, schema, message, toolWords)
  }
}

function numberCandidates(parameter: Parameter, schema: JSONSchema, message: MessageText): Candidate[] {
  return message.spans.flatMap((span) => {
    const value = numberOf(span, schema)
    if (value === undefined) return []
    const isShare = span.isPercent === true && schema.maximum === 100
    const cue = cueScore(parameter, span, message) + (isShare ? 0.4 : 0)
    // "one" is more often a pronoun than a number.
    const base = span.inWords && value < 2 ? 0.1 : 0.5
    return [{ parameter, ...placeOf(span), value, score: base + cue, isSpecific: cue >= 0.4 }]
  })
}

function numberOf(span: Span, schema: JSONSchema): number | undefined {
  if (span.kind !== 'number' || span.number === undefined) return undefined
  const isFraction = span.isPercent === true && typeof schema.maximum === 'number' && schema.maximum <= 1
  return isFraction ? span.number / 100 : span.number
}

/** How well each kind of span fits each role, without any cue. */
const fits: Record<Role, Partial<Record<SpanKind, number>>> = {
  email: { email: 1, name: 0.1, quoted: 0.2 },
  url: { url: 1, path: 0.6 },
  timezone: { path: 0.6, name: 0.3, phrase: 0.2 },
  date: { date: 1 },
  time: { time: 1 },
  currency: { currency: 1, code: 0.5 },
  language: { name: 0.8, phrase: 0.6, code: 0.5, quoted: 0.3 },
  unit: { unit: 0.9, asked: 0.6, phrase: 0.5, currency: 0.5, name: 0.3 },
  path: { path: 1, quoted: 0.8, phrase: 0.1 },
  phone: { phone: 1, number: 0.3 },
  expression: { quoted: 0.6 },
  symbol: { code: 1, currency: 0.7, quoted: 0.7, name: 0.5, phrase: 0.4 },
  id: { hex: 1, uuid: 1, code: 0.9, phone: 0.3, number: 0.6, quoted: 0.7, ip: 0.4, currency: 0.4 },
  person: { name: 0.9, quoted: 0.7, phrase: 0.4, email: 0.6, code: 0.4 },
  place: { name: 0.9, phrase: 0.6, code: 0.6, currency: 0.4, quoted: 0.7, hex: 0.6, ip: 0.6 },
  text: { quoted: 1, name: 0.1, url: 0.2 },
  thing: {
    quoted: 0.9,
    name: 0.7,
    code: 0.7,
    hex: 0.7,
    uuid: 0.7,
    path: 0.6,
    phrase: 0.5,
    email: 0.5,
    url: 0.5,
    ip: 0.6,
    currency: 0.6,
    unit: 0.2,
    phone: 0.5,
    asked: 0.2,
  },
}

function textCandidates(
  parameter: Parameter,
  schema: JSONSchema,
  message: MessageText,
  toolWords: Vocabulary,
): Candidate[] {
  const hasShape = typeof schema.format === 'string' || typeof schema.pattern === 'string'
  const found = message.spans.flatMap((seen): Candidate[] => {
    if (isToolWord(seen, toolWords)) return []
    const span = seen.kind === 'name' ? withoutCommand(seen, toolWords) : withoutOwnName(seen, parameter)
    if (!couldBe(parameter, span)) return []
    const fit = fits[parameter.role][span.kind] ?? 0
    const cue = cueScore(parameter, span, message)
    const isStrange = parameter.role === 'language' && span.kind !== 'code' && findLanguages(span.text).length === 0
    const penalty =
      (isStrange ? 0.4 : 0) +
      (span.isInitial ? (span.text.includes(' ') ? 0.1 : 0.4) : 0) +
      (looseKinds.has(span.kind) ? announcesNothing(parameter, span, message) : 0)
    return spellingsOf(span, parameter, schema)
      .flatMap((value) => {
        if (!satisfies(value, schema)) return []
        const shaped = hasShape && !looseKinds.has(span.kind) ? 0.8 : 0
        // A phone or number announced by nothing is no text; a cue alone makes what fits a little fit enough.
        if (fit + shaped === 0 && (cue < 0.6 || span.isPercent)) return []
        const score = Math.max(fit, shaped) + cue - penalty
        return [
          {
            parameter,
            ...placeOf(span),
            value,
            score,
            isSpecific: cue >= 0.5 || shaped > 0 || strictRoles.has(parameter.role),
          },
        ]
      })
      .slice(0, 1)
  })
  return [...found, ...ofRole(parameter, message)]
}

/** What no words round a span can make of it: an amount is no language, a sentence no e-mail address. */
function couldBe({ role }: Parameter, span: Span): boolean {
  if (role === 'expression') return span.kind === 'quoted' && /\d/.test(span.text)
  if (strictRoles.has(role)) return (fits[role][span.kind] ?? 0) > 0
  // The rest of a message says a text whole, where words after a preposition are a part of it.
  if (role === 'text') return span.kind !== 'phrase' && span.kind !== 'number'
  if (span.kind !== 'number') return true
  return role === 'id' || ((role === 'thing' || role === 'place' || role === 'phone') && span.isInName !== true)
}

/** Kinds that are read from where words stand, not from their shape. */
const looseKinds = new Set<SpanKind>(['phrase', 'name', 'quoted', 'asked'])
const strictRoles = new Set<Role>(['email', 'url', 'date', 'time', 'currency', 'timezone', 'path', 'expression'])

/** A phrase counts only after a preposition that may lead to what is asked for. */
function announcesNothing({ role }: Parameter, span: Span, message: MessageText): number {
  if (span.kind !== 'phrase') return 0
  const preposition = wordsBefore(message, span.start, 3)
    .find(({ text }) => !/^(?:the|a|an|my|our)$/i.test(text))
    ?.text.toLowerCase()
  if (preposition === 'about' && role !== 'text') return 0.3
  return (role === 'symbol' || role === 'person') && span.text.includes(' ') ? 0.3 : 0
}

/** A span that only repeats the tool's own words, or a number, is no name. */
function isToolWord(span: Span, toolWords: Vocabulary): boolean {
  if (span.kind !== 'name' && span.kind !== 'phrase' && span.kind !== 'asked') return false
  if (/^[\d\s.,%$€£]+$/.test(span.text)) return true
  const stems = contentStems(span.text)
  if (stems.every((word) => toolWords.name.has(word))) return true
  // "to my todo list" only says where, when the tool is `add_todo` and its description speaks of the list.
  return (
    span.kind === 'phrase' &&
    stems.some((word) => toolWords.name.has(word)) &&
    stems.every((word) => toolWords.all.has(word))
  )
}

/** "Play Yesterday" begins with the tool's own word; the name is what follows. */
function withoutCommand(span: Span, toolWords: Vocabulary): Span {
  const [first = '', ...rest] = span.text.split(' ')
  const isCommand =
    toolWords.name.has(stem(first)) ||
    (span.isInitial && (isCommonVerb(stem(first)) || /^(?:find|look|search|call|ask|tell|what|who)$/i.test(first)))
  if (rest.length === 0 || !isCommand) return span
  const text = rest.join(' ')
  return { ...span, start: span.end - text.length, text, isInitial: false }
}

/** "to bucket assets" gives the bucket "assets". */
function withoutOwnName(span: Span, { words, hints }: Parameter): Span {
  const [first = '', ...rest] = span.text.split(' ')
  const text = rest.join(' ')
  if (span.kind !== 'phrase' || !/\p{L}/u.test(text) || ![...words, ...hints].includes(stem(first))) return span
  return { ...span, start: span.end - text.length, text }
}

/** What is found by the parameter's role rather than by a span. */
function ofRole(parameter: Parameter, message: MessageText): Candidate[] {
  if (parameter.role === 'timezone') {
    const found = findTimeZone(message.text)
    if (!found) return []
    return [
      { parameter, start: found.start, end: found.end, value: found.zone, score: 1.2, isSpecific: true, kind: 'name' },
    ]
  }
  if (parameter.role === 'expression') {
    const found = findExpression(message.text)
    if (!found) return []
    return [
      {
        parameter,
        start: found.start,
        end: found.end,
        value: found.expression,
        score: 1.2,
        isSpecific: true,
        kind: 'rest',
      },
    ]
  }
  return dateTimes(parameter, message)
}

/** A day and a time that stand together: "2026-03-05 at 17:00". */
function dateTimes(parameter: Parameter, { spans, text }: MessageText): Candidate[] {
  if (!parameter.choices.some((schema) => schema.format === 'date-time')) return []
  return spans.flatMap((day) => {
    const time = spans.find(
      (other) =>
        other.kind === 'time' &&
        /^(?:[,\s]|at|T)*$/.test(text.slice(Math.min(day.end, other.end), Math.max(day.start, other.start))),
    )
    if (day.kind !== 'date' || !day.date || !time?.clock) return []
    const start = Math.min(day.start, time.start)
    const value = `${day.date.iso}T${time.clock}:00Z`
    return [
      {
        parameter,
        start,
        end: Math.max(day.end, time.end),
        value,
        score: 1.2,
        isSpecific: true,
        kind: 'date' as const,
      },
    ]
  })
}

function placeOf({ start, end, kind }: Span): { start: number; end: number; kind: SpanKind } {
  return { start, end, kind }
}
