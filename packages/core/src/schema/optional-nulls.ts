import type { JSONSchema } from '../data/message.ts'
import { isRecord } from '../data/message-problem.ts'
import { targetOf } from './check-json-schema.ts'

/**
 * A value without the nulls that models write for omitted fields: those of optional fields that do not allow null. Of a
 * schema with alternatives, those count that the value may belong to.
 * Returns the same value if there are none.
 */
export function withoutOptionalNulls(value: unknown, schema: unknown, root: JSONSchema): unknown {
  return withoutNullsOf(value, [schema], { root, formsLeft: mostForms })
}

/** What all parts of a value are compared with; the parts after it keep their nulls. */
const mostForms = 50_000

type Search = { root: JSONSchema; formsLeft: number }

/** @param schemas those that may describe the value */
function withoutNullsOf(value: unknown, schemas: readonly unknown[], search: Search): unknown {
  if (typeof value !== 'object' || value === null || schemas.length === 0 || search.formsLeft <= 0) return value
  const { root } = search
  const all = formsOf(schemas, root)
  search.formsLeft -= all.length
  const forms = all.filter((form) => mayDescribe(form, value))
  if (Array.isArray(value)) {
    const items = value.map((item, index) => withoutNullsOf(item, forms.flatMap(itemAt(index)), search))
    return changed(value, Object.values(items))
  }
  if (!isRecord(value)) return value
  const entries = Object.entries(value).flatMap(([key, field]): [string, unknown][] => {
    const known = forms.filter(({ properties }) => isRecord(properties) && Object.hasOwn(properties, key))
    const parts = known.map(({ properties }) => (properties as JSONSchema)[key])
    const isRequired = known.some(({ required }) => Array.isArray(required) && required.includes(key))
    const isOmitted = field === null && known.length > 0 && !isRequired && !parts.some((part) => takesNull(part, root))
    if (isOmitted) return []
    const others = known.length > 0 ? [] : forms.flatMap(({ additionalProperties }) => additionalProperties ?? [])
    return [[key, withoutNullsOf(field, [...parts, ...others], search)]]
  })
  const isSame = entries.length === Object.keys(value).length && entries.every(([key, field]) => field === value[key])
  return isSame ? value : Object.fromEntries(entries)
}

/** The schemas and all that they are composed of, each once: alternatives may refer to each other. */
export function formsOf(schemas: readonly unknown[], root: JSONSchema): JSONSchema[] {
  const forms = new Set<JSONSchema>()
  // A list that grows while it is read.
  const open = [...schemas]
  for (const schema of open) {
    const form = resolve(schema, root)
    if (!form || forms.has(form)) continue
    forms.add(form)
    const { anyOf, oneOf, allOf } = form
    for (const parts of [anyOf, oneOf, allOf]) if (Array.isArray(parts)) open.push(...parts)
  }
  return [...forms]
}

/** Whether a list or an object may be what the schema describes: of its type, with the constant fields of its kind. */
function mayDescribe({ type, properties }: JSONSchema, value: object): boolean {
  if (type !== undefined && ![type].flat().includes(Array.isArray(value) ? 'array' : 'object')) return false
  if (!isRecord(properties) || !isRecord(value)) return true
  return Object.entries(properties).every(([key, part]) => {
    return !isRecord(part) || part.const === undefined || !Object.hasOwn(value, key) || value[key] === part.const
  })
}

function itemAt(index: number): (form: JSONSchema) => unknown {
  return ({ items, prefixItems }) => (Array.isArray(prefixItems) ? prefixItems[index] : undefined) ?? items ?? []
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
  const { $ref } = schema
  if ($ref === undefined) return schema
  if (depth >= 10) return undefined
  if ($ref === '#') return resolve(root, root, depth + 1)
  const target = typeof $ref === 'string' && $ref.startsWith('#/') ? targetOf($ref, root) : undefined
  return resolve(target, root, depth + 1)
}
