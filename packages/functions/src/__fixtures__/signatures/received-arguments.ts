import type { JSONSchema } from '@agentkit/core'
import type { Expected } from './expected.ts'

/** What a function says that it was given, for any input that fits. */
export function receivedArguments(expected: Expected, input: Record<string, unknown>): unknown[] {
  const { inputSchema, parameters, alsoSays, takesApart = [], ownDefaults = [] } = expected
  const properties = inputSchema.properties as Record<string, JSONSchema>
  const argument = (name: string): unknown => {
    const schema = properties[name] ?? {}
    const value = Object.hasOwn(input, name) || ownDefaults.includes(name) ? input[name] : schema.default
    const whole = takesApart.includes(name) ? withDefaults(value, schema) : value
    return revived(whole, schema, expected)
  }
  const given = parameters.flatMap((name) => {
    if (name === '*')
      return [revived(takesApart.includes('*') ? withDefaults(input, inputSchema) : input, inputSchema, expected)]
    if (!name.startsWith('...')) return [argument(name)]
    return (argument(name.slice(3)) as unknown[] | undefined) ?? []
  })
  return [...(alsoSays?.before ?? []), ...given, ...(alsoSays?.after ?? [])]
}

function withDefaults(value: unknown, schema: JSONSchema): unknown {
  if (!isRecord(value) || !isRecord(schema.properties)) return value
  const filled = { ...value }
  for (const [name, property] of Object.entries(schema.properties)) {
    const child = property as JSONSchema
    const given = Object.hasOwn(value, name) ? value[name] : child.default
    if (given !== undefined) filled[name] = withDefaults(given, child)
  }
  return filled
}

/** The value with a Date wherever the schema has one. */
function revived(value: unknown, schema: JSONSchema, expected: Expected): unknown {
  const { $ref, anyOf, format, items, prefixItems, properties, additionalProperties } = schema
  if (typeof $ref === 'string') {
    const definitions = expected.inputSchema.$defs as Record<string, JSONSchema>
    return revived(value, definitions[$ref.replace('#/$defs/', '')] ?? {}, expected)
  }
  if (typeof value === 'string') {
    const isDate = [schema, ...((anyOf as JSONSchema[] | undefined) ?? [])].some(({ format }) => format === 'date-time')
    return (isDate || format === 'date-time') && expected.dates === undefined ? new Date(value) : value
  }
  if (Array.isArray(value)) {
    const places = (prefixItems as JSONSchema[] | undefined) ?? []
    return value.map((item, index) => revived(item, places[index] ?? (items as JSONSchema | undefined) ?? {}, expected))
  }
  if (!isRecord(value)) return value
  const known = (properties as Record<string, JSONSchema> | undefined) ?? {}
  const others = isRecord(additionalProperties) ? additionalProperties : {}
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      revived(child, Object.hasOwn(known, key) ? known[key]! : others, expected),
    ]),
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
