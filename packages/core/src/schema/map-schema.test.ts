import { expect, it } from 'vitest'
import type { JSONSchema } from '../data/message.ts'
import { mapSchema } from './map-schema.ts'

function seen(schema: JSONSchema): unknown[] {
  const titles: unknown[] = []
  mapSchema(schema, (child) => {
    titles.push(child.title)
    return child
  })
  return titles
}

it.each<[string, JSONSchema]>([
  ['by name', { properties: { a: { title: 'in' } } }],
  ['named like a keyword', { properties: { enum: { title: 'in' } } }],
  ['in a list', { anyOf: [{ title: 'in' }] }],
  ['alone', { items: { title: 'in' } }],
  ['among shared schemas', { $defs: { const: { title: 'in' } } }],
])('reaches a schema %s, inside out', (_name, schema) => {
  expect(seen({ ...schema, title: 'out' })).toEqual(['in', 'out'])
})

it.each<[string, JSONSchema]>([
  [
    'plain values',
    { enum: [{ title: 'in' }], const: { title: 'in' }, default: { title: 'in' }, examples: [{ title: 'in' }] },
  ],
  ['a schema with an id of its own', { items: { $id: 'list', title: 'in' } }],
  ['what is no schema', { properties: null, items: true, required: ['title'] }],
])('leaves %s alone', (_name, schema) => {
  expect(seen({ ...schema, title: 'out' })).toEqual(['out'])
  expect(mapSchema(schema, (child) => child)).toEqual(schema)
})

it('makes a copy', () => {
  const schema = { items: { type: 'string' }, properties: { __proto__: null, a: { type: 'string' } } }
  const copy = mapSchema(schema, (child) => ({ ...child, title: 'new' }))
  expect(copy).toMatchObject({ title: 'new', items: { title: 'new' }, properties: { a: { title: 'new' } } })
  expect(schema.items).toEqual({ type: 'string' })
})
