import type { JSONSchema } from '../data/message.ts'

/** Keywords that hold schemas by name, and those that hold plain values. All else that is an object is a schema. */
const byName = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
const plain = new Set(['const', 'enum', 'default', 'examples'])

/** A copy in which `change` has been at each schema, inside out; not at those that have an id of their own. */
export function mapSchema(schema: JSONSchema, change: (schema: JSONSchema) => JSONSchema): JSONSchema {
  const mapChild = (child: unknown): unknown => {
    if (Array.isArray(child)) return child.map(mapChild)
    return isRecord(child) && !('$id' in child) ? mapSchema(child, change) : child
  }
  return change(
    mapEntries(schema, (key, child) => {
      if (plain.has(key)) return child
      return byName.has(key) && isRecord(child) ? mapEntries(child, (_name, named) => mapChild(named)) : mapChild(child)
    }),
  )
}

function mapEntries(record: JSONSchema, change: (key: string, value: unknown) => unknown): JSONSchema {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(key, value)]))
}

function isRecord(value: unknown): value is JSONSchema {
  return typeof value === 'object' && value !== null
}
