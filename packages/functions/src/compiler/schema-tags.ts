import type { JSONSchema, JSONValue } from '@agentkit/core'
import { type CompilerScope, failAt, type Place } from './compiler-scope.ts'

type ReadTag = (text: string) => JSONValue | undefined

const numeric: ReadTag = (text) => (text !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined)
const count: ReadTag = (text) => (/^\d+$/.test(text) ? Number(text) : undefined)
const words: ReadTag = (text) => text || undefined
const flag: ReadTag = (text) => (text === '' || text === 'true' ? true : text === 'false' ? false : undefined)

/** JSON Schema's keywords that a comment may have as tags, and how each is read. */
const readers: Readonly<Record<string, ReadTag>> = {
  minimum: numeric,
  maximum: numeric,
  exclusiveMinimum: numeric,
  exclusiveMaximum: numeric,
  multipleOf: numeric,
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minProperties: count,
  maxProperties: count,
  uniqueItems: flag,
  pattern: words,
  format: words,
  title: words,
  default: json,
  examples: json,
}

/** A tag that makes a number an integer. */
const integer = 'integer'

/** Whether a tag says something of a schema, and belongs to the `@param` that it follows. */
export function isSchemaTag(name: string): boolean {
  return Object.hasOwn(readers, name) || name === integer || name === 'asType'
}

/**
 * The keywords among a comment's tags.
 * @throws AgentKitError `invalid-argument` for a value that the keyword cannot have
 */
export function keywordsOf(
  tags: readonly { name: string; text: string }[],
  path: string,
  scope: CompilerScope,
): JSONSchema {
  const keywords: JSONSchema = {}
  for (const { name, text: written } of tags) {
    const text = written.trim()
    if (name === integer || (name === 'asType' && text === integer)) keywords.type = integer
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined
    if (!read) continue
    const value = read(text)
    if (value === undefined)
      failAt(scope, `parameter "${path}" has the tag @${name} with "${text}", which it cannot mean.`)
    keywords[name] = value
  }
  return keywords
}

/** As JSON; what is none is text. */
function json(text: string): JSONValue {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * A schema with a comment's keywords.
 * @throws AgentKitError `invalid-argument` where `@integer` stands at something that is no number
 */
export function applyKeywords(
  schema: JSONSchema,
  keywords: JSONSchema,
  place: Place,
  scope: CompilerScope,
): JSONSchema {
  const { type, ...others } = keywords
  if (Object.keys(keywords).length === 0) return schema
  const typed = type === undefined ? schema : asInteger(schema)
  if (typed) return { ...typed, ...others }
  return failAt(scope, `parameter "${place.path}" is tagged @integer, and is no number.`)
}

/** The numbers of a schema as integers: itself, its items, or one of its kinds; `undefined` where there is none. */
function asInteger(schema: JSONSchema): JSONSchema | undefined {
  const { type, items, anyOf } = schema
  if (type === 'number' || type === integer) return { ...schema, type: integer }
  if (Array.isArray(type) && (type.includes('number') || type.includes(integer))) {
    return { ...schema, type: type.map((name) => (name === 'number' ? integer : name)) }
  }
  if (type === 'array' && typeof items === 'object' && items !== null) {
    const whole = asInteger(items as JSONSchema)
    return whole && { ...schema, items: whole }
  }
  if (!Array.isArray(anyOf)) return undefined
  const whole = anyOf.map((kind) => asInteger(kind))
  return whole.some(Boolean) ? { ...schema, anyOf: anyOf.map((kind, index) => whole[index] ?? kind) } : undefined
}
