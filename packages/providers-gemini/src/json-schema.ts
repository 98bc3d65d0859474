import type { JSONSchema } from '@agentkit/core'
import { isRecord, referenceStep } from '@agentkit/wire'

export type Reference = JSONSchema & { $ref: string }

export function isReference(schema: JSONSchema): schema is Reference {
  return typeof schema.$ref === 'string'
}

/** An `allOf` with a reference alone, as many tools write a reference with a description, as that reference. */
export function asReference(schema: JSONSchema): JSONSchema {
  const { allOf, ...own } = schema
  const [only, ...others] = schemasIn(allOf)
  return only && isReference(only) && others.length === 0 && !isReference(schema) ? { ...only, ...own } : schema
}

/** The target of a reference within the document; `#` is the document. */
export function resolveReference($ref: string, root: JSONSchema): JSONSchema | undefined {
  if (!$ref.startsWith('#')) return undefined
  const steps = $ref.split('/').slice(1).map(referenceStep)
  const target = steps.reduce<unknown>((place, step) => (isRecord(place) ? place[step] : undefined), root)
  return isRecord(target) ? target : undefined
}

/**
 * Merges the schemas of `allOf` into one, with the properties of all.
 * @param merged the references that are in it already: they would add nothing, and may lead in a circle
 */
export function withoutAllOf(schema: JSONSchema, root: JSONSchema, merged: Set<string> = new Set()): JSONSchema {
  if (!Array.isArray(schema.allOf)) return schema
  const { allOf, ...own } = schema
  return schemasIn(allOf).reduce((whole, member) => both(whole, wholeOf(member, root, merged)), own)
}

function wholeOf(member: JSONSchema, root: JSONSchema, merged: Set<string>): JSONSchema {
  if (!isReference(member)) return withoutAllOf(member, root, merged)
  const target = merged.has(member.$ref) ? undefined : resolveReference(member.$ref, root)
  merged.add(member.$ref)
  return target ? withoutAllOf(target, root, merged) : {}
}

function both(first: JSONSchema, second: JSONSchema): JSONSchema {
  const merged = { ...second, ...first }
  if (isRecord(first.properties) && isRecord(second.properties)) {
    merged.properties = { ...second.properties, ...first.properties }
  }
  if (Array.isArray(first.required) && Array.isArray(second.required)) {
    merged.required = [...new Set([...first.required, ...second.required])]
  }
  return merged
}

/** The schemas of a list such as `anyOf`. */
export function schemasIn(value: unknown): JSONSchema[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}
