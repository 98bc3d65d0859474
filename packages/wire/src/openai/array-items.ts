import type { JSONSchema } from '@agentkit/core'
import { isRecord } from '../util/json.ts'

/** The keywords whose value has schemas by name, and those whose value is a schema or a list of them. */
const byName: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
])
const asValue: ReadonlySet<string> = new Set([
  ...['items', 'prefixItems', 'additionalProperties', 'contains', 'propertyNames'],
  ...['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else'],
])

/**
 * A schema whose lists all have `items`: OpenAI's APIs refuse the whole request for one without, which many MCP servers have.
 * The same object where none is missing.
 */
export function withItems(schema: JSONSchema): JSONSchema {
  const { type, items } = schema
  const isList = type === 'array' || (Array.isArray(type) && type.includes('array'))
  const complete = mapped(schema, (value, key) => {
    if (asValue.has(key)) return inValue(value)
    return byName.has(key) && isRecord(value) ? mapped(value, inValue) : value
  })
  return isList && items === undefined ? { ...complete, items: {} } : complete
}

function inValue(value: unknown): unknown {
  if (!Array.isArray(value)) return isRecord(value) ? withItems(value) : value
  const made = value.map(inValue)
  return made.some((each, index) => each !== value[index]) ? made : value
}

/** A copy where a field changes. Requests convert their tools each time, so it allocates little where none does. */
function mapped(record: JSONSchema, change: (value: unknown, key: string) => unknown): JSONSchema {
  let copy = record
  for (const key of Object.keys(record)) {
    const value = change(record[key], key)
    if (value === record[key]) continue
    if (copy === record) copy = { ...record }
    // A field may be named __proto__.
    Object.defineProperty(copy, key, { value, enumerable: true, writable: true, configurable: true })
  }
  return copy
}
