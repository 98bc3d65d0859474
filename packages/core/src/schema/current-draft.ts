import type { JSONSchema } from '../data/message.ts'
import { isRecord } from '../data/message-problem.ts'
import { places } from './check-json-schema.ts'

/**
 * A schema with the forms of drafts 4 to 2019-09 that mean something else in draft 2020-12, in those of 2020-12: providers
 * refuse the old ones, and the validator reads a bound that is `true` as 1. The same schema if it has none.
 */
export function inCurrentDraft(schema: JSONSchema): JSONSchema {
  const found = { hasTuple: false }
  const current = convert(schema, found) as JSONSchema // an object stays one
  return found.hasTuple ? (withMovedReferences(current) as JSONSchema) : current
}

type Found = { hasTuple: boolean }

function convert(schema: unknown, found: Found): unknown {
  if (!isRecord(schema)) return schema
  const entries = Object.entries(schema)
  const converted = entries.map(([key, child]): [string, unknown] => [key, convertPart(places.get(key), child, found)])
  const isSame = converted.every(([, child], index) => child === entries[index]?.[1])
  return inNewForm(isSame ? schema : Object.fromEntries(converted), found)
}

function convertPart(place: string | undefined, child: unknown, found: Found): unknown {
  if (Array.isArray(child)) {
    // A list of `items` is the old form of `prefixItems`.
    const parts = place === undefined || place === 'by-name' ? child : child.map((part) => convert(part, found))
    return parts.every((part, index) => part === child[index]) ? child : parts
  }
  if (place === 'alone') return convert(child, found)
  if (place !== 'by-name' || !isRecord(child)) return child
  const entries = Object.entries(child)
  const parts = entries.map(([name, part]): [string, unknown] => [name, convert(part, found)])
  return parts.every(([, part], index) => part === entries[index]?.[1]) ? child : Object.fromEntries(parts)
}

function inNewForm(schema: JSONSchema, found: Found): JSONSchema {
  let current = schema
  for (const [bound, exclusive] of bounds) {
    const { [bound]: value, [exclusive]: isExclusive, ...others } = current
    if (typeof isExclusive !== 'boolean') continue
    current = value === undefined ? others : { ...others, [isExclusive ? exclusive : bound]: value }
  }
  if (!Array.isArray(current.items)) return current
  found.hasTuple = true
  const { items: prefixItems, additionalItems: items, ...others } = current
  return { ...others, prefixItems, ...(items !== undefined && { items: convert(items, found) }) }
}

const bounds = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const

/** References to items of a list go where these are now. */
function withMovedReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withMovedReferences)
  if (!isRecord(schema)) return schema
  const entries = Object.entries(schema).map(([key, child]): [string, unknown] => {
    const isReference = key === '$ref' && typeof child === 'string'
    return [key, isReference ? movedReference(child) : withMovedReferences(child)]
  })
  return Object.fromEntries(entries)
}

/** A field may have the name `additionalItems`. */
function movedReference(reference: string): string {
  return reference
    .replaceAll(/\/items(?=\/\d+(?:\/|$))/g, '/prefixItems')
    .replaceAll(/(?<!\/(?:properties|patternProperties|\$defs|definitions))\/additionalItems(?=\/|$)/g, '/items')
}
