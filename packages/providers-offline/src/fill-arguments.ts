import type { JSONSchema, JSONValue } from '@agentkit/core'
import { firstChars } from '@agentkit/core/internal'
import { type Input, longestMessage } from './conversation.ts'
import {
  type Argument,
  candidatesFor,
  isFreeText,
  isSchema,
  type MessageText,
  type Parameter,
} from './find-arguments.ts'
import { isStopWord, stemsOf, type Word } from './words.ts'

/** The values of a message for a schema; `missing` is empty when every required value was found. */
export type Filling = { input: Input; missing: Parameter[]; chosen: Argument[] }

const leastScore = 0.4
const [mostParameters, longestName, mostCandidates] = [50, 200, 100] as const

/**
 * Fills the parameters of a schema with values from the message, each from separate words; `ownWords` are stems of the
 * tool, which are no arguments, and `known` are values from elsewhere, by the parameter's name.
 */
export function fillArguments(
  schema: JSONSchema,
  message: MessageText,
  ownWords: ReadonlySet<string>,
  known: ReadonlyMap<string, JSONValue> = new Map(),
): Filling {
  const parameters = parametersOf(schema)
  const open = parameters.filter(({ name }) => !known.has(name))
  const candidates = open
    .filter((parameter) => !isTaskOfAgent(parameter))
    .flatMap((parameter) => candidatesFor(parameter, message, ownWords).slice(0, mostCandidates))
  const chosen: Argument[] = []
  for (const one of candidates.sort((a, b) => b.score - a.score || a.place.start - b.place.start)) {
    const isTaken = chosen.some(({ parameter, place }) => parameter === one.parameter || overlap(place, one.place))
    if (!isTaken && one.score >= leastScore) chosen.push(one)
  }
  const isOpen = (one: Parameter): boolean => one.isRequired && chosen.every(({ parameter }) => parameter !== one)
  const text = open.find((one) => isOpen(one) && isFreeText(one))
  chosen.push(...(text ? restOfMessage(text, message, chosen, ownWords) : []))
  const values = parameters.flatMap(({ name, schema, isRequired }): [string, JSONValue][] => {
    const found = known.get(name) ?? chosen.find(({ parameter }) => parameter.name === name)?.value
    const value = found ?? (isRequired ? givenValue(schema) : undefined)
    return value === undefined ? [] : [[name, value]]
  })
  const missing = parameters.filter((one) => one.isRequired && values.every(([name]) => name !== one.name))
  return { input: Object.fromEntries(values), missing, chosen }
}

function overlap(one: Argument['place'], other: Argument['place']): boolean {
  return one.start < other.end && other.start < one.end
}

export function parametersOf(schema: JSONSchema): Parameter[] {
  const required = Array.isArray(schema.required) ? schema.required : []
  const properties = isSchema(schema.properties) ? Object.entries(schema.properties) : []
  return properties.slice(0, mostParameters).map(([name, property]) => {
    const own = plainSchema(isSchema(property) ? property : {}, schema)
    const description = firstChars(String(own.description ?? ''), 500)
    const words = stemsOf(name.slice(0, longestName))
    return { name, schema: own, description, words, isRequired: required.includes(name) }
  })
}

/** A schema with what it refers to, and of several choices the first that is not `null`. */
function plainSchema(schema: JSONSchema, root: JSONSchema, depth = 0): JSONSchema {
  const choices = schema.anyOf ?? schema.oneOf
  const choice = Array.isArray(choices) ? choices.find((one) => isSchema(one) && one.type !== 'null') : undefined
  const path = typeof schema.$ref === 'string' ? schema.$ref.split('/').slice(1) : undefined
  const next = path?.reduce<unknown>((at, key) => (isSchema(at) ? at[key] : undefined), root) ?? choice
  return isSchema(next) && depth < 4 ? { ...schema, ...plainSchema(next, root, depth + 1) } : schema
}

/** The value that a schema gives by itself: its only one, or its default. */
function givenValue(schema: JSONSchema): JSONValue | undefined {
  const only = Array.isArray(schema.enum) && schema.enum.length === 1 ? schema.enum[0] : undefined
  return (schema.const ?? only ?? schema.default) as JSONValue | undefined // a schema is plain JSON
}

const wholeMessage = /^(?:task|prompt|question|request)$/i
/** An agent that gets a name or a quote alone does not know what is asked of it. */
const isTaskOfAgent = ({ name, description }: Parameter): boolean =>
  wholeMessage.test(name) && /\bagent\b/i.test(description)
const prepositions = new Set('in for at near of to into from about on by with called named'.split(' '))

/** The rest of the message: for a text its longest part, for a name the last words between prepositions. */
function restOfMessage(
  parameter: Parameter,
  { text, words }: MessageText,
  chosen: readonly Argument[],
  ownWords: ReadonlySet<string>,
): Argument[] {
  const argument = (start: number, end: number): Argument[] => {
    return [{ parameter, value: text.slice(start, end), place: { start, end } }]
  }
  // The last words of a message that was cut may be incomplete.
  if (text.length >= longestMessage) return []
  if (wholeMessage.test(parameter.name)) return argument(0, text.length)
  const isName = !isFreeText(parameter, 'long')
  const parts: Word[][] = [[]]
  for (const word of words) {
    const isTaken = chosen.some(({ place }) => overlap(word, place))
    if (isTaken || (isName && prepositions.has(word.text.toLowerCase()))) parts.push([])
    else parts.at(-1)?.push(word)
  }
  const isEdge = ({ text, stem }: Word): boolean =>
    isStopWord(text) || ownWords.has(stem) || parameter.words.includes(stem)
  const rests = parts.flatMap((part) => {
    const first = part.findIndex((word) => !isEdge(word))
    return first < 0 ? [] : [part.slice(first, part.findLastIndex((word) => !isEdge(word)) + 1)]
  })
  const rest = isName ? rests.at(-1) : rests.sort((a, b) => b.length - a.length)[0]
  const [first, last] = [rest?.[0], rest?.at(-1)]
  // Many words are no name.
  return rest && first && last && (!isName || rest.length <= 3) ? argument(first.start, last.end) : []
}
