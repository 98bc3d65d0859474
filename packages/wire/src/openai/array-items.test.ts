import { expect, it } from 'vitest'
import { withItems } from './array-items.ts'

const list = { type: 'array', items: {} }

it.each([
  ['a field', { properties: { a: { type: 'array' } } }, { properties: { a: list } }],
  ['one that may be null', { type: ['array', 'null'] }, { type: ['array', 'null'], items: {} }],
  ['a list of lists', { type: 'array', items: { type: 'array' } }, { type: 'array', items: list }],
  ['a tuple', { type: 'array', prefixItems: [{ type: 'array' }] }, { type: 'array', prefixItems: [list], items: {} }],
  ['a variant', { anyOf: [{ type: 'array' }, { type: 'null' }] }, { anyOf: [list, { type: 'null' }] }],
  ['a definition', { $defs: { a: { type: 'array' } } }, { $defs: { a: list } }],
  ['other fields', { additionalProperties: { type: 'array' } }, { additionalProperties: list }],
  ['a field named type', { properties: { type: { type: 'array' } } }, { properties: { type: list } }],
  [
    'a field named __proto__',
    JSON.parse('{ "properties": { "__proto__": { "type": "array" } } }'),
    JSON.parse('{ "properties": { "__proto__": { "type": "array", "items": {} } } }'),
  ],
])('gives items to %s (Q25)', (_, schema, complete) => {
  const before = JSON.stringify(schema)
  expect(JSON.stringify(withItems(schema))).toBe(JSON.stringify(complete))
  expect(JSON.stringify(schema)).toBe(before)
})

it.each([
  ['items', { type: 'array', items: { type: 'string' } }],
  ['no more items than its prefix', { type: 'array', prefixItems: [{}], items: false }],
  [
    'values that look like schemas',
    { enum: [{ type: 'array' }], default: { type: 'array' }, const: { type: 'array' } },
  ],
  ['a field named items', { type: 'object', properties: { items: { type: 'string' } } }],
])('returns a schema with %s itself', (_, schema) => {
  expect(withItems(schema)).toBe(schema)
})
