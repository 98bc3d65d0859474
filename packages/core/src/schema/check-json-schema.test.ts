import { jsonSchema, Output } from 'ai'
import { expect, it } from 'vitest'
import type { JSONSchema } from '../data/message.ts'
import { jsonSchemaProblem } from './check-json-schema.ts'

const object = (properties: JSONSchema): JSONSchema => ({ type: 'object', properties })

it.each<[string, JSONSchema, RegExp]>([
  ['schemas of fields', { city: { '~standard': {} } }, /Wrap them: input: z\.object/],
  [
    'a schema of zod 3.22',
    { _def: {}, parse: () => {} },
    /without Standard Schema\. Update the library \(zod to 3\.25/,
  ],
  [
    'jsonSchema() of the AI SDK',
    jsonSchema({ type: 'object' }) as object as JSONSchema,
    /AI SDK. Give the schema itself/,
  ],
  [
    'an Output of the AI SDK',
    Output.object({ schema: jsonSchema({}) }) as object as JSONSchema,
    /an Output of the AI SDK\. Give the schema in it: input: z/,
  ],
  ['a schema of Joi 17', { type: 'object', validate: () => {} }, /without Standard Schema/],
  ['a text', { type: 'string' }, /root must be an object/],
  ['nothing', {}, /root must be an object/],
  ['a type that there is not', object({ a: { type: 'banana' } }), /input\.a has the type "banana"/],
  ['one of several types', object({ a: { type: ['string', 'nil'] } }), /"nil"/],
  ['a type in a list', object({ a: { anyOf: [{ type: 'string' }, { type: 'text' }] } }), /input\.a\.anyOf\.1/],
  ['a type of items', object({ a: { type: 'array', items: { type: 'int' } } }), /input\.a\.items/],
  ['a pattern that is none', object({ a: { type: 'string', pattern: '(' } }), /not a regular expression/],
  [
    'a pattern that is none with its flag',
    object({ a: { type: 'string', pattern: '^[\\w-.]+$' } }),
    /not a regular expression with the flag "u" \(Invalid character class\)\./,
  ],
  [
    'a pattern that is not a text',
    object({ a: { type: 'string', pattern: /a/ } }),
    /input\.a has a pattern that is not a text/,
  ],
  ['a reference to nothing', object({ a: { $ref: '#/$defs/nope' } }), /refers to #\/\$defs\/nope/],
  [
    'a reference to itself',
    object({ a: { $ref: '#/properties/a' } }),
    /refers to #\/properties\/a, which leads into a circle/,
  ],
  [
    'references in a circle',
    {
      ...object({ a: { $ref: '#/$defs/b' } }),
      $defs: { b: { allOf: [{ type: 'string' }, { $ref: '#/$defs/c' }] }, c: { oneOf: [{ $ref: '#/$defs/b' }] } },
    },
    /input\.a refers to #\/\$defs\/b, which leads into a circle/,
  ],
  [
    'references in a circle of variants',
    object({ a: { anyOf: [{ type: 'string' }, { $ref: '#/properties/a' }] } }),
    /input\.a\.anyOf\.1 refers to #\/properties\/a, which leads into a circle/,
  ],
  ['a condition that is its own', object({ a: { if: { $ref: '#/properties/a' } } }), /which leads into a circle/],
  ['a root that is its own reference', { type: 'object', $ref: '#' }, /input refers to #, which leads into a circle/],
  ['a reference that is badly encoded', object({ a: { $ref: '#/%zz' } }), /refers to #\/%zz/],
  ['a type in place of a schema', object({ a: 'integer' }), /input\.a is "integer", .*Write \{ type: "integer" \}/],
  [
    'a constructor in place of a schema',
    object({ a: String }),
    /input\.a is the function String, which is not a schema/,
  ],
  ['a field that is null', object({ a: null }), /input\.a is null, which is not a schema/],
  ['names in place of properties', { type: 'object', properties: ['a'] }, /input\.0 is "a", which is not a schema/],
  ['items that are a type', object({ a: { type: 'array', items: 'string' } }), /input\.a\.items is "string"/],
  ['alternatives that are types', object({ a: { anyOf: ['string', undefined] } }), /input\.a\.anyOf\.0 is "string"/],
  [
    'a field that is required itself',
    object({ a: { type: 'string', required: true } }),
    /input\.a has `required: true`/,
  ],
  ['a name in place of a list', { ...object({ a: {} }), required: 'a' }, /input has `required: "a"`/],
  ['an enum that is not a list', object({ a: { enum: 'x' } }), /input\.a has an `enum` that is not a list/],
  ['a reference elsewhere', object({ a: { $ref: 'other.json' } }), /References begin with "#\/"/],
])('reports what is wrong with %s', (_name, schema, problem) => {
  expect(jsonSchemaProblem(schema)).toMatch(problem)
})

it.each<[string, JSONSchema]>([
  ['an object without properties', { type: 'object' }],
  ['references', { ...object({ a: { $ref: '#/$defs/a~1b' } }), $defs: { 'a/b': { type: ['string', 'null'] } } }],
  ['a field named like a keyword', object({ type: { type: 'string' }, pattern: { type: 'integer' } })],
  ['fields named as other keywords', object({ required: { type: 'boolean' }, enum: { type: 'string' } })],
  [
    'references that meet again, and one that leads back by a field',
    {
      ...object({ a: { allOf: [{ $ref: '#/$defs/b' }, { $ref: '#/$defs/b' }] } }),
      $defs: { b: { anyOf: [{ $ref: '#/$defs/c' }, { type: 'null' }] }, c: object({ next: { $ref: '#/$defs/b' } }) },
    },
  ],
  ['undefined fields', { ...object({ a: undefined, b: { items: undefined } }), required: undefined }],
  ['boolean schemas', { type: 'object', properties: { a: true }, additionalProperties: false }],
])('reports no problem for %s', (_name, schema) => {
  expect(jsonSchemaProblem(schema)).toBeUndefined()
})

it('follows a chain of references once, or the test would not end', () => {
  const links = Array.from({ length: 20_000 }, (_, index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }])
  const $defs = Object.fromEntries([...links, ['d20000', { type: 'string' }]])
  expect(jsonSchemaProblem({ ...object({ a: { $ref: '#/$defs/d0' } }), $defs })).toBeUndefined()
  expect(jsonSchemaProblem({ ...object({}), $defs: { ...$defs, d20000: { $ref: '#/$defs/d1' } } })).toMatch(/circle/)
})
