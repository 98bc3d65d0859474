import type { JSONSchema } from '../data/message.ts'
import { isRecord } from '../data/message-problem.ts'

/**
 * A value without the nulls that models write for omitted fields: those of optional fields that do not allow null.
 * Returns the same value if there are none.
 */
export function withoutOptionalNulls(value: unknown, schema: unknown, root: JSONSchema): unknown {
  const resolved = resolve(schema, root)
  if (!resolved) return value
  if (Array.isArray(value))
    return changed(value, Object.values(value.map((item) => withoutOptionalNulls(item, resolved.items, root))))
  if (!isRecord(value) || !isRecord(resolved.properties)) return value
  const { properties, required } = resolved
  const isRequired = (key: string): boolean => Array.isArray(required) && required.includes(key)
  const entries = Object.entries(value).flatMap(([key, field]): [string, unknown][] => {
    const part = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (field === null && part !== undefined && !isRequired(key) && !takesNull(part, root)) return []
    return [[key, withoutOptionalNulls(field, part, root)]]
  })
  const isSame = entries.length === Object.keys(value).length && entries.every(([key, field]) => field === value[key])
  return isSame ? value : Object.fromEntries(entries)
}

function changed(before: unknown[], after: unknown[]): unknown[] {
  return after.some((item, index) => item !== before[index]) ? after : before
}

/** @param seen the schemas that were visited: recursive schemas have no end */
function takesNull(schema: unknown, root: JSONSchema, seen = new Set<JSONSchema>()): boolean {
  const resolved = resolve(schema, root)
  if (!resolved) return true
  if (seen.has(resolved)) return false
  seen.add(resolved)
  const { type, enum: values, const: only, anyOf, oneOf } = resolved
  if (Array.isArray(anyOf) || Array.isArray(oneOf))
    return [anyOf ?? [], oneOf ?? []].flat().some((part) => takesNull(part, root, seen))
  if (values !== undefined || only !== undefined) return [values ?? [], only].flat().includes(null)
  return type === undefined || [type].flat().includes('null')
}

/** Follows references up to a depth of 10: definitions may refer to each other. */
function resolve(schema: unknown, root: JSONSchema, depth = 0): JSONSchema | undefined {
  if (!isRecord(schema)) return undefined
  const [, list = '', name = ''] = /^#\/(\$defs|definitions)\/([^/~%]+)$/.exec(String(schema.$ref ?? '')) ?? []
  if (schema.$ref === undefined) return schema
  const definitions = root[list]
  return isRecord(definitions) && Object.hasOwn(definitions, name) && depth < 10
    ? resolve(definitions[name], root, depth + 1)
    : undefined
}
