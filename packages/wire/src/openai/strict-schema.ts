import type { JSONSchema } from '@agentkit/core'
import { objectRoot } from '../provider/object-root.ts'
import { isRecord } from '../util/json.ts'

/**
 * Whether OpenAI's strict mode accepts this schema: every object is closed and requires all of its keys, and strict mode
 * supports every keyword. Other schemas are sent unchanged, with `strict: false`.
 */
export function isStrictSchema(schema: JSONSchema): boolean {
  return schema.type === 'object' && isStrict(schema, 0)
}

/** Deepest nesting of a strict schema. */
const deepest = 10

function isStrict(schema: unknown, depth: number): boolean {
  if (!isRecord(schema) || depth > deepest) return false
  if (Object.keys(schema).some((keyword) => !strictKeywords.has(keyword))) return false
  if (!kinds.some((keyword) => keyword in schema)) return false
  // Strict mode accepts no keywords beside a reference.
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

/** Strict mode requires one of these. */
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
 * A tool's input schema for OpenAI's APIs: an object with properties, without `$schema`.
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
