import { expect, it } from 'vitest'
import type { JSONSchema } from '../data/message.ts'
import { jsonSchemaProblem } from './check-json-schema.ts'

const object = (properties: JSONSchema): JSONSchema => ({ type: 'object', properties })

it.each<[string, JSONSchema, RegExp]>([
  ['schemas of fields', { city: { '~standard': {} } }, /Wrap them: input: z\.object/],
  ['a text', { type: 'string' }, /root must be an object/],
  ['nothing', {}, /root must be an object/],
  ['a type that there is not', object({ a: { type: 'banana' } }), /input\.a has the type "banana"/],
  ['one of several types', object({ a: { type: ['string', 'nil'] } }), /"nil"/],
  ['a type in a list', object({ a: { anyOf: [{ type: 'string' }, { type: 'text' }] } }), /input\.a\.anyOf\.1/],
  ['a type of items', object({ a: { type: 'array', items: { type: 'int' } } }), /input\.a\.items/],
  ['a pattern that is none', object({ a: { type: 'string', pattern: '(' } }), /no regular expression/],
  ['a reference to nothing', object({ a: { $ref: '#/$defs/nope' } }), /refers to #\/\$defs\/nope/],
  ['a reference that is badly encoded', object({ a: { $ref: '#/%zz' } }), /refers to #\/%zz/],
  ['a reference elsewhere', object({ a: { $ref: 'other.json' } }), /References begin with "#\/"/],
])('reports what is wrong with %s', (_name, schema, problem) => {
  expect(jsonSchemaProblem(schema)).toMatch(problem)
})

it.each<[string, JSONSchema]>([
  ['an object without properties', { type: 'object' }],
  ['references', { ...object({ a: { $ref: '#/$defs/a~1b' } }), $defs: { 'a/b': { type: ['string', 'null'] } } }],
  ['a field named like a keyword', object({ type: { type: 'string' }, pattern: { type: 'integer' } })],
  ['boolean schemas', { type: 'object', properties: { a: true }, additionalProperties: false }],
])('reports no problem for %s', (_name, schema) => {
  expect(jsonSchemaProblem(schema)).toBeUndefined()
})
