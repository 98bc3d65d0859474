import type { JSONSchema } from '@agentkit/core'
import { objectRoot } from '../provider/object-root.ts'
import { isRecord } from '../util/json.ts'

/**
 * Whether OpenAI's strict mode takes this schema as it is: every object is closed and requires all of its keys, and
 * no keyword is one that strict mode refuses. Anything else is sent with `strict: false`, never bent into shape.
 */
export function isStrictSchema(schema: JSONSchema): boolean {
  return schema.type === 'object' && isStrict(schema, 0)
}

/** How deep a strict schema may be nested. */
const deepest = 10

function isStrict(schema: unknown, depth: number): boolean {
  if (!isRecord(schema) || depth > deepest) return false
  if (Object.keys(schema).some((keyword) => !strictKeywords.has(keyword))) return false
  if (!kinds.some((keyword) => keyword in schema)) return false
  // A reference stands alone there.
  if ('$ref' in schema && Object.keys(schema).length > 1) return false
  const { properties, required, additionalProperties, items, anyOf, $defs } = schema
  if (schema.type === 'object' || properties !== undefined) {
    if (additionalProperties !== false || !isRecord(properties)) return false
    const keys = Object.keys(properties)
    if (!Array.isArray(required) || !keys.every((key) => required.includes(key))) return false
  }
  if (schema.type === 'array' && items === undefined) return false
  const children = [...valuesOf(properties), ...valuesOf($defs), ...(Array.isArray(anyOf) ? anyOf : [])]
  if (items !== undefined) children.push(items)
  return children.every((child) => isStrict(child, depth + 1))
}

/** One of these says what a value is. */
const kinds: readonly string[] = ['type', 'anyOf', '$ref', 'enum', 'const']

const strictKeywords: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'anyOf',
  '$defs',
  '$ref',
  'title',
  'description',
])

/**
 * A tool's input schema as the OpenAI wires want it: an object with properties, without `$schema`.
 */
export function toolParameters(schema: JSONSchema): JSONSchema {
  const { $schema: _dialect, not: _not, enum: _enum, ...parameters } = objectRoot(schema)
  if (parameters.type === undefined) parameters.type = 'object'
  if (parameters.type === 'object') parameters.properties ??= {}
  return parameters
}

function valuesOf(value: unknown): unknown[] {
  return isRecord(value) ? Object.values(value) : []
}
