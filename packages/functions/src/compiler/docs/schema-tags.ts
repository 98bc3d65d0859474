import type { JSONSchema, JSONValue } from '@agentkit/core'
import { type CompilerScope, failAt, type Place } from '../scope/compiler-scope.ts'

/** Parses the text of a tag; undefined for an invalid text. */
type ReadTag = (text: string) => JSONValue | undefined

const numeric: ReadTag = (text) => (text !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined)
const positive: ReadTag = (text) => (Number(text) > 0 ? numeric(text) : undefined)
const count: ReadTag = (text) => (/^\d+$/.test(text) ? Number(text) : undefined)
const words: ReadTag = (text) => text || undefined
const flag: ReadTag = (text) => (text === '' || text === 'true' ? true : text === 'false' ? false : undefined)

/** The JSON Schema keywords that comments may have as tags, with their parsers. */
const readers: Readonly<Record<string, ReadTag>> = {
  minimum: numeric,
  maximum: numeric,
  exclusiveMinimum: numeric,
  exclusiveMaximum: numeric,
  multipleOf: positive,
  minLength: count,
  maxLength: count,
  pattern: expression,
  format: words,
  minItems: count,
  maxItems: count,
  uniqueItems: flag,
  minProperties: count,
  maxProperties: count,
  title: words,
  default: json,
  examples: list,
}

/** A tag that makes a number an integer. */
const integer = 'integer'

/** Whether a tag is a schema keyword, which belongs to the `@param` that it follows. */
export function isSchemaTag(name: string): boolean {
  return Object.hasOwn(readers, name) || name === integer || name === 'asType'
}

/**
 * The keywords among a comment's tags.
 * @throws AgentKitError `invalid-argument` for an invalid value of a keyword
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
    if (value === undefined) {
      const why = name === 'pattern' ? ` as a regular expression with the flag "u" (${problemOfPattern(text)})` : ''
      failAt(scope, `parameter "${path}" has the tag @${name} with "${text}", which it cannot mean${why}.`)
    }
    keywords[name] = value
  }
  return keywords
}

/** A pattern that the schema's validator can use. */
function expression(text: string): JSONValue | undefined {
  return problemOfPattern(text) === undefined ? words(text) : undefined
}

function problemOfPattern(text: string): string | undefined {
  try {
    new RegExp(text, 'u')
    return text === '' ? 'it is empty' : undefined
  } catch (error) {
    return String(error).split(': ').at(-1)
  }
}

/** Parses JSON; anything else is text. */
function json(text: string): JSONValue {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A list of examples; a single example is wrapped. */
function list(text: string): JSONValue[] {
  const value = json(text)
  return Array.isArray(value) ? value : [value]
}

const ofNumbers = ['number']
const ofTexts = ['string']
const ofLists = ['array']
const ofObjects = ['object']

/** The value types of keywords; other keywords apply to all types. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  type: ofNumbers,
  minimum: ofNumbers,
  maximum: ofNumbers,
  exclusiveMinimum: ofNumbers,
  exclusiveMaximum: ofNumbers,
  multipleOf: ofNumbers,
  minLength: ofTexts,
  maxLength: ofTexts,
  pattern: ofTexts,
  // Numbers have formats too, such as `int64`.
  format: [...ofTexts, ...ofNumbers],
  minItems: ofLists,
  maxItems: ofLists,
  uniqueItems: ofLists,
  minProperties: ofObjects,
  maxProperties: ofObjects,
}

/**
 * Adds a comment's keywords to a schema, each where it applies: to the schema itself, to its items, or to the members of
 * a union that have its type.
 * @throws AgentKitError `invalid-argument` if it applies nowhere, such as `@minimum` on a string; not for mapped types
 */
export function applyKeywords(
  schema: JSONSchema,
  keywords: JSONSchema,
  place: Place,
  scope: CompilerScope,
): JSONSchema {
  let result = schema
  for (const [keyword, value] of Object.entries(keywords)) {
    const changed = withKeyword(result, keyword, value, scope)
    if (!changed && !place.isMapped) {
      const tag = keyword === 'type' ? integer : keyword
      const wanted = kinds[keyword]?.join(' or ')
      failAt(scope, `parameter "${place.path}" is tagged @${tag}, and is no ${wanted}.`)
    }
    result = changed ?? result
  }
  return result
}

/** Undefined if the keyword does not apply to the schema. */
function withKeyword(
  schema: JSONSchema,
  keyword: string,
  value: unknown,
  scope: CompilerScope,
): JSONSchema | undefined {
  const isFor = kinds[keyword]
  const types = [schema.type].flat().map((type) => (type === integer ? 'number' : type))
  if (!isFor || isFor.some((kind) => types.includes(kind)) || isAnything(schema)) {
    return scope.instead(schema, { ...schema, [keyword]: keyword === 'type' ? integerType(schema) : value })
  }
  const changed: JSONSchema = {}
  for (const part of ['items', 'prefixItems', 'anyOf']) {
    const content = schema[part]
    const before = [content].flat().filter(isSchema)
    const after = before.map((each) => withKeyword(each, keyword, value, scope) ?? each)
    if (after.some((each, index) => each !== before[index])) changed[part] = Array.isArray(content) ? after : after[0]
  }
  return Object.keys(changed).length > 0 ? { ...schema, ...changed } : undefined
}

function isAnything({ type, anyOf, $ref }: JSONSchema): boolean {
  return type === undefined && anyOf === undefined && $ref === undefined
}

function isSchema(value: unknown): value is JSONSchema {
  return typeof value === 'object' && value !== null
}

function integerType({ type }: JSONSchema): unknown {
  return Array.isArray(type) ? type.map((name) => (name === 'number' ? integer : name)) : integer
}
