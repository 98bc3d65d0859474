import type { JSONSchema } from '@agentkit/core'
import { objectRoot } from '../provider/object-root.ts'
import { isRecord } from '../util/json.ts'
import { withItems } from './array-items.ts'

/**
 * Whether OpenAI's strict mode accepts this schema: every object is closed and requires all of its keys, strict mode
 * supports every keyword, and the schema is within its limits. Other schemas are sent unchanged, with `strict: false`.
 *
 * @see https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas
 */
export function isStrictSchema(schema: JSONSchema): boolean {
  const size: Size = { keys: 0, choices: 0, chars: 0 }
  if (schema.type !== 'object' || 'anyOf' in schema || !isStrict(schema, 0, size)) return false
  return size.keys <= most.keys && size.choices <= most.choices && size.chars <= most.chars
}

/** Deepest nesting of a strict schema. */
const deepest = 10

/** What a strict schema has altogether: keys, values of enums, and characters of names and of values. */
type Size = { keys: number; choices: number; chars: number }
const most: Size = { keys: 5_000, choices: 1_000, chars: 120_000 }
/** An enum of more values than this may have this many characters. */
const longEnum = { choices: 250, chars: 15_000 }

function isStrict(schema: unknown, depth: number, size: Size): boolean {
  if (!isRecord(schema) || depth > deepest) return false
  if (Object.keys(schema).some((keyword) => !strictKeywords.has(keyword))) return false
  if (!kinds.some((keyword) => keyword in schema)) return false
  // Strict mode accepts no keywords beside a reference.
  if ('$ref' in schema && Object.keys(schema).length > 1) return false
  const { properties, required, additionalProperties, items, anyOf, $defs } = schema
  if (schema.type === 'object' || properties !== undefined) {
    if (additionalProperties !== false || !isRecord(properties)) return false
    const keys = Object.keys(properties)
    const isEachRequired = Array.isArray(required) && keys.every((key) => required.includes(key))
    if (!isEachRequired || !required.every((key) => Object.hasOwn(properties, key))) return false
  }
  if (schema.type === 'array' && items === undefined) return false
  if (!addSize(schema, size)) return false
  const children = [...valuesOf(properties), ...valuesOf($defs), ...(Array.isArray(anyOf) ? anyOf : [])]
  if (items !== undefined) children.push(items)
  return children.every((child) => isStrict(child, depth + 1, size))
}

/** Adds what a schema has without its children; `false` when one enum alone is too long. */
function addSize({ properties, $defs, enum: choices, const: only }: JSONSchema, size: Size): boolean {
  const names = isRecord(properties) ? Object.keys(properties) : []
  const values: unknown[] = Array.isArray(choices) ? choices : []
  const chars = charsOf(values)
  size.keys += names.length
  size.choices += values.length
  size.chars += chars + charsOf([...names, ...Object.keys(isRecord($defs) ? $defs : {}), only])
  return values.length <= longEnum.choices || chars <= longEnum.chars
}

function charsOf(values: readonly unknown[]): number {
  return values.reduce<number>((chars, value) => chars + (typeof value === 'string' ? value.length : 0), 0)
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
 * A tool's input schema for OpenAI's APIs: an object with properties, without `$schema`, whose lists have `items`.
 */
export function toolParameters(schema: JSONSchema): JSONSchema {
  const { $schema: _dialect, not: _not, enum: _enum, ...parameters } = withItems(objectRoot(schema))
  if (parameters.type === undefined) parameters.type = 'object'
  if (parameters.type === 'object') parameters.properties ??= {}
  return parameters
}

function valuesOf(value: unknown): unknown[] {
  return isRecord(value) ? Object.values(value) : []
}
