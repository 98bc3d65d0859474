import type { JSONSchema, JSONValue } from '@agentkit/core'

/** Whether a value satisfies the parts of JSON Schema that tools use. A keyword that is not known here allows. */
export function satisfies(value: JSONValue, schema: JSONSchema): boolean {
  if ('const' in schema && !isEqual(value, schema.const)) return false
  if (Array.isArray(schema.enum) && !schema.enum.some((allowed) => isEqual(value, allowed))) return false
  const types = schema.type === undefined ? [] : [schema.type].flat()
  if (types.length > 0 && !types.some((type) => hasType(value, String(type)))) return false
  for (const key of ['anyOf', 'oneOf'] as const) {
    const choices = schema[key]
    if (Array.isArray(choices) && !choices.some((choice) => isSchema(choice) && satisfies(value, choice))) return false
  }
  if (typeof value === 'number') return numberFits(value, schema)
  if (typeof value === 'string') return stringFits(value, schema)
  if (Array.isArray(value)) return listFits(value, schema)
  return typeof value !== 'object' || value === null || objectFits(value, schema)
}

export function isSchema(value: unknown): value is JSONSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isEqual(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

function hasType(value: JSONValue, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isSchema(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

function numberFits(value: number, schema: JSONSchema): boolean {
  const bound = (key: string, fallback: number): number => (typeof schema[key] === 'number' ? schema[key] : fallback)
  const step = bound('multipleOf', 0)
  return (
    Number.isFinite(value) &&
    value >= bound('minimum', -Infinity) &&
    value <= bound('maximum', Infinity) &&
    value > bound('exclusiveMinimum', -Infinity) &&
    value < bound('exclusiveMaximum', Infinity) &&
    (step <= 0 || Math.abs(value / step - Math.round(value / step)) < 1e-9)
  )
}

const formats: Record<string, RegExp> = {
  date: /^\d{4}-\d{2}-\d{2}$/,
  time: /^\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/,
  email: /^[^\s@]+@[^\s@]+\.[^\s@]+$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
  url: /^[a-z][a-z0-9+.-]*:\S+$/i,
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  ipv4: /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.|$)){4}$/,
}

function stringFits(value: string, schema: JSONSchema): boolean {
  const length = [...value].length
  if (typeof schema.minLength === 'number' && length < schema.minLength) return false
  if (typeof schema.maxLength === 'number' && length > schema.maxLength) return false
  if (typeof schema.format === 'string' && formats[schema.format]?.test(value) === false) return false
  return typeof schema.pattern !== 'string' || matches(schema.pattern, value)
}

function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value)
  } catch {
    // Not a pattern that this engine can read: nothing can be said to satisfy it.
    return false
  }
}

function listFits(value: JSONValue[], schema: JSONSchema): boolean {
  if (typeof schema.minItems === 'number' && value.length < schema.minItems) return false
  if (typeof schema.maxItems === 'number' && value.length > schema.maxItems) return false
  if (schema.uniqueItems === true && new Set(value.map((item) => JSON.stringify(item))).size < value.length)
    return false
  const { items } = schema
  return !isSchema(items) || value.every((item) => satisfies(item, items))
}

function objectFits(value: { [key: string]: JSONValue }, schema: JSONSchema): boolean {
  const properties = isSchema(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required.map(String) : []
  if (required.some((key) => !Object.hasOwn(value, key))) return false
  return Object.entries(value).every(([key, item]) => {
    const property = properties[key]
    if (isSchema(property)) return satisfies(item, property)
    return schema.additionalProperties !== false
  })
}
