import type { JSONSchema } from '../data/message.ts'

const byName: readonly string[] = ['properties', '$defs', 'definitions', 'dependentSchemas']

/**
 * The schema of a server or a client without its regular expressions: one that takes exponential time would block the process. The model
 * reads them in the descriptions, and who executes the call checks what it receives.
 */
export function withoutPatterns(schema: JSONSchema): JSONSchema {
  const { pattern, patternProperties, format, ...rest } = schema
  const copy: JSONSchema = {}
  for (const [key, value] of Object.entries(rest)) {
    define(copy, key, byName.includes(key) && isObject(value) ? eachOf(value) : partOf(key, value))
  }
  // An object whose names follow patterns may have any names.
  if (patternProperties !== undefined && copy.additionalProperties === false) delete copy.additionalProperties
  const notes = [
    pattern !== undefined && `Pattern: ${String(pattern)}`,
    format !== undefined && `Format: ${String(format)}`,
  ]
  const description = [schema.description, ...notes].filter(Boolean).join(' ')
  if (description !== '') copy.description = description
  return copy
}

function partOf(key: string, value: unknown): unknown {
  if (key === 'const' || key === 'enum' || key === 'default' || key === 'examples') return value
  if (Array.isArray(value)) return value.map((each) => partOf(key, each))
  return isObject(value) ? withoutPatterns(value) : value
}

function eachOf(schemas: JSONSchema): JSONSchema {
  const copy: JSONSchema = {}
  for (const [name, schema] of Object.entries(schemas))
    define(copy, name, isObject(schema) ? withoutPatterns(schema) : schema)
  return copy
}

/** A field may be named __proto__. */
function define(target: JSONSchema, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}

function isObject(value: unknown): value is JSONSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
