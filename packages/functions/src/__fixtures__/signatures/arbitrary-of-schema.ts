import type { JSONSchema } from '@agentkit/core'
import * as fc from 'fast-check'
import type { Matching } from './expected.ts'

/** Any JSON that fits a schema, of those that the fixtures have. */
export function arbitraryOfSchema(schema: JSONSchema, root: JSONSchema = schema, depth = 0): fc.Arbitrary<unknown> {
  const inner = (child: unknown): fc.Arbitrary<unknown> => arbitraryOfSchema(child as JSONSchema, root, depth + 1)
  const { $ref, anyOf, type } = schema
  if (typeof $ref === 'string') {
    const definitions = root.$defs as Record<string, JSONSchema>
    return inner(definitions[$ref.replace('#/$defs/', '')])
  }
  if ('const' in schema) return fc.constant(schema.const)
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
  if (Array.isArray(anyOf)) {
    // Deep down those that refer to nothing, so that it ends.
    const ending = anyOf.filter((choice) => !JSON.stringify(choice).includes('$ref'))
    const choices = depth > 6 && ending.length > 0 ? ending : anyOf
    return fc.oneof(...choices.map(inner))
  }
  if (Array.isArray(type)) return fc.oneof(...type.map((one) => inner({ ...schema, type: one })))
  const make = typeof type === 'string' ? byType[type] : undefined
  return make ? make(schema, inner, depth) : json
}

const json = fc.jsonValue({ maxDepth: 2 })

type Make = (
  schema: JSONSchema,
  inner: (child: unknown) => fc.Arbitrary<unknown>,
  depth: number,
) => fc.Arbitrary<unknown>

const byType: Record<string, Make> = {
  null: () => fc.constant(null),
  boolean: () => fc.boolean(),
  integer: (schema) => fc.integer(bounds(schema)),
  number: (schema) => {
    const { multipleOf } = schema
    if (typeof multipleOf === 'number') return fc.integer({ min: 1, max: 1000 }).map((times) => times * multipleOf)
    return fc.double({ ...bounds(schema), noNaN: true, noDefaultInfinity: true })
  },
  string: (schema) => {
    const { format, pattern, minLength = 0, maxLength = 50 } = schema
    if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern))
    if (pattern !== undefined) return fc.constantFrom(...(pattern as Matching).matches)
    if (format !== undefined) return byFormat[String(format)] ?? fc.string()
    return fc.string({ minLength: Number(minLength), maxLength: Number(maxLength) })
  },
  array: ({ items, prefixItems = [], minItems = 0, maxItems, uniqueItems }, inner, depth) => {
    const places = (prefixItems as unknown[]).map(inner)
    if (places.length > 0) return tuple(places, Number(minItems), items === false ? undefined : inner(items))
    if (depth > 6 && minItems === 0) return fc.constant([])
    const length = { minLength: Number(minItems), maxLength: Number(maxItems ?? 4) }
    return uniqueItems ? fc.uniqueArray(inner(items), length) : fc.array(inner(items), length)
  },
  object: ({ properties, required = [], additionalProperties }, inner, depth) => {
    if (properties === undefined) {
      if (depth > 6) return fc.constant({})
      const values = isRecord(additionalProperties) ? inner(additionalProperties) : json
      return fc.dictionary(key, values, { maxKeys: 4, noNullPrototype: true })
    }
    const entries = Object.entries(properties as Record<string, JSONSchema>)
    const names = required as string[]
    const kept = depth > 6 ? entries.filter(([name]) => names.includes(name)) : entries
    const fields = Object.fromEntries(kept.map(([name, child]) => [name, inner(child)]))
    return fc.record(fields, { requiredKeys: names, noNullPrototype: true })
  },
}

/** Names that a careless copy loses. */
const key = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'a/b', 'a~b', '', 'length', '0'),
  fc.string(),
)

const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })

const byFormat: Record<string, fc.Arbitrary<string>> = {
  'date-time': date.map((value) => value.toISOString()),
  date: date.map((value) => value.toISOString().slice(0, 10)),
  email: fc.stringMatching(/^[a-z]{1,9}$/).map((name) => `${name}@example.com`),
}

function bounds({ minimum, maximum }: JSONSchema): { min?: number; max?: number } {
  return { ...(typeof minimum === 'number' && { min: minimum }), ...(typeof maximum === 'number' && { max: maximum }) }
}

function tuple(places: fc.Arbitrary<unknown>[], least: number, more?: fc.Arbitrary<unknown>): fc.Arbitrary<unknown[]> {
  const whole = fc.tuple(...places)
  if (more) return fc.tuple(whole, fc.array(more, { maxLength: 3 })).map(([first, rest]) => [...first, ...rest])
  return fc
    .tuple(whole, fc.integer({ min: least, max: places.length }))
    .map(([items, length]) => items.slice(0, length))
}

function isRecord(value: unknown): value is JSONSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
