import { describe, expect, it } from 'vitest'
import { z as z3 } from 'zod3'
import type { JSONSchema } from '../data/message.ts'
import { inCurrentDraft } from './current-draft.ts'
import { compileSchema } from './schema.ts'

const text = { type: 'string' }
const number = { type: 'number' }

describe('a schema of an earlier draft', () => {
  it.each<[string, JSONSchema, JSONSchema]>([
    ['an exclusive minimum', { minimum: 0, exclusiveMinimum: true }, { exclusiveMinimum: 0 }],
    ['an exclusive maximum', { maximum: 9, exclusiveMaximum: true }, { exclusiveMaximum: 9 }],
    ['a bound that is not exclusive', { minimum: 0, exclusiveMinimum: false }, { minimum: 0 }],
    ['an exclusive bound of nothing', { exclusiveMaximum: true }, {}],
    ['a tuple', { items: [text, number] }, { prefixItems: [text, number] }],
    ['a closed tuple', { items: [text], additionalItems: false }, { prefixItems: [text], items: false }],
    [
      'parts within parts',
      { anyOf: [{ items: [{ items: [text] }], additionalItems: { minimum: 1, exclusiveMinimum: true } }] },
      { anyOf: [{ prefixItems: [{ prefixItems: [text] }], items: { exclusiveMinimum: 1 } }] },
    ],
    [
      'references to parts of a tuple',
      {
        properties: { a: { items: [text], additionalItems: number }, additionalItems: text },
        $defs: { b: { $ref: '#/properties/a/items/0' }, c: { $ref: '#/properties/a/additionalItems' } },
        allOf: [{ $ref: '#/properties/additionalItems' }],
      },
      {
        properties: { a: { prefixItems: [text], items: number }, additionalItems: text },
        $defs: { b: { $ref: '#/properties/a/prefixItems/0' }, c: { $ref: '#/properties/a/items' } },
        allOf: [{ $ref: '#/properties/additionalItems' }],
      },
    ],
  ])('becomes one of draft 2020-12: %s', (_name, schema, current) => {
    const before = structuredClone(schema)
    expect(inCurrentDraft(schema)).toEqual(current)
    expect(schema).toEqual(before)
  })

  it.each<[string, JSONSchema]>([
    ['of draft 2020-12', { prefixItems: [text], items: number, exclusiveMinimum: 0 }],
    ['whose values look like keywords', { default: { items: [1] }, enum: [{ exclusiveMinimum: true }] }],
    ['whose fields have names of keywords', { properties: { items: text, exclusiveMinimum: { type: 'boolean' } } }],
  ])('is the same one if it has no such form: %s', (_name, schema) => {
    expect(inCurrentDraft(schema)).toBe(schema)
  })

  it('validates by its bounds', async () => {
    const price = { type: 'number', minimum: 0, exclusiveMinimum: true }
    const { validate } = await compileSchema({ type: 'object', properties: { price } }, 'Tool "t"')
    expect(await validate({ price: 0.5 })).toEqual({ value: { price: 0.5 } })
    expect(await validate({ price: 0 })).toHaveProperty('problems')
  })

  it('is converted from zod 3, too', async () => {
    const pair = z3.tuple([z3.string(), z3.number()])
    const { json } = await compileSchema(z3.object({ pair }), 'Tool "t"')
    expect(json).toMatchObject({ properties: { pair: { prefixItems: [text, number] } } })
  })
})
