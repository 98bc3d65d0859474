import type { JSONSchema } from '@agentkit/core'
import { isRecord } from '@agentkit/wire'

/**
 * A schema that the API can enforce. Keywords that it does not know become part of the description, as in the SDK's own
 * helper: the model still reads them, and core checks the answer against the whole schema.
 *
 * `undefined` for a schema that would change its meaning: one that allows any keys or values, or that is recursive.
 */
export function outputSchema(schema: JSONSchema): JSONSchema | undefined {
  const { $schema: _dialect, ...rest } = schema
  try {
    return isRecursive(rest) ? undefined : toStrict(rest)
  } catch (error) {
    if (error instanceof OpenSchema) return undefined
    throw error
  }
}

/** A schema that the API cannot enforce. */
class OpenSchema extends Error {}

function toStrict(schema: unknown): JSONSchema {
  if (!isRecord(schema)) throw new OpenSchema()
  const strict: JSONSchema = {}
  const rest = { ...schema }
  const take = (keyword: string): unknown => {
    const value = rest[keyword]
    delete rest[keyword]
    return value
  }
  for (const keyword of ['$defs', 'definitions']) {
    const shared = take(keyword)
    if (isRecord(shared)) strict[keyword] = mapValues(shared, toStrict)
  }
  const reference = take('$ref')
  if (reference !== undefined) return { ...strict, $ref: reference }
  takeKind(schema, take, strict)
  for (const keyword of ['title', 'description', 'default']) {
    const value = take(keyword)
    if (value !== undefined) strict[keyword] = value
  }
  const left = Object.entries(rest).map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`)
  if (left.length > 0) strict.description = [strict.description, `{${left.join(', ')}}`].filter(Boolean).join('\n\n')
  return strict
}

/** Takes over the keywords for the kind of value: a value of a list, of one of several schemas, or of a type. */
function takeKind(schema: JSONSchema, take: (keyword: string) => unknown, strict: JSONSchema): void {
  const union = unions.find((keyword) => Array.isArray(schema[keyword]))
  if (Array.isArray(schema.enum) && schema.enum.every(isScalar)) {
    strict.enum = take('enum')
    take('type')
  } else if (schema.const !== undefined && isScalar(schema.const)) {
    strict.const = take('const')
    take('type')
  } else if (union !== undefined) {
    // The API enforces nothing beside a union.
    if (schema.properties !== undefined) throw new OpenSchema()
    const members = take(union)
    strict[union === 'oneOf' ? 'anyOf' : union] = Array.isArray(members) ? members.map(toStrict) : []
    take('type')
  } else {
    takeType(schema, take, strict)
  }
}

const unions = ['anyOf', 'oneOf', 'allOf'] as const

function takeType(schema: JSONSchema, take: (keyword: string) => unknown, strict: JSONSchema): void {
  const types = [schema.type ?? (isRecord(schema.properties) ? 'object' : undefined)].flat()
  if (types.length === 0 || types.includes(undefined)) throw new OpenSchema()
  strict.type = types.length === 1 ? types[0] : types
  take('type')
  if (types.includes('object')) {
    const properties = take('properties')
    const others = take('additionalProperties')
    if (!isRecord(properties) || isRecord(others) || 'patternProperties' in schema) throw new OpenSchema()
    strict.properties = mapValues(properties, toStrict)
    strict.additionalProperties = false
    const required = take('required')
    if (Array.isArray(required)) strict.required = required
    // An object without properties allows everything, unless it is closed.
    if (Object.keys(properties).length === 0 && others !== false) throw new OpenSchema()
  }
  if (types.includes('array')) {
    strict.items = toStrict(take('items'))
    if (schema.minItems === 0 || schema.minItems === 1) strict.minItems = take('minItems')
  }
  if (types.includes('string') && typeof schema.format === 'string' && formats.has(schema.format)) {
    strict.format = take('format')
  }
}

const formats: ReadonlySet<string> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
])

/** Whether a definition leads back to itself, or a reference to the root or out of the schema. */
function isRecursive(schema: JSONSchema): boolean {
  const definitions = new Map<string, unknown>()
  for (const place of ['$defs', 'definitions'] as const) {
    const shared = schema[place]
    if (isRecord(shared)) for (const [name, each] of Object.entries(shared)) definitions.set(`#/${place}/${name}`, each)
  }
  // Many references may lead to one definition: it is followed once.
  const ending = new Set<string>()
  const leadsBack = (value: unknown, path: ReadonlySet<string>, areNames = false): boolean => {
    if (typeof value !== 'object' || value === null) return false
    if (Array.isArray(value)) return value.some((each) => leadsBack(each, path))
    const reference = '$ref' in value ? value.$ref : undefined
    if (typeof reference === 'string') {
      if (ending.has(reference)) return false
      if (path.has(reference) || !definitions.has(reference)) return true
      if (leadsBack(definitions.get(reference), new Set([...path, reference]))) return true
      ending.add(reference)
      return false
    }
    return Object.entries(value).some(([keyword, each]) => {
      if (areNames) return leadsBack(each, path)
      return !literals.has(keyword) && leadsBack(each, path, named.has(keyword))
    })
  }
  return leadsBack(schema, new Set())
}

/** Keywords whose value maps names to schemas. A name may equal a keyword. */
const named: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions'])

/** Keywords with values, not schemas. */
const literals: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples'])

function mapValues(record: Record<string, unknown>, map: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value !== 'object'
}
