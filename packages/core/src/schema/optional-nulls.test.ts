import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { withoutOptionalNulls } from './optional-nulls.ts'
import { compileSchema } from './schema.ts'

const text = { type: 'string' }
const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required })

describe('nulls for omitted fields', () => {
  it.each<[string, object, unknown, unknown]>([
    ['go where the field is optional', object({ a: text, b: text }), { a: null, b: 'x' }, { b: 'x' }],
    ['go inside objects', object({ a: object({ b: text }) }), { a: { b: null } }, { a: {} }],
    [
      'go inside lists',
      object({ a: { type: 'array', items: object({ b: text }) } }),
      { a: [{ b: null }] },
      { a: [{}] },
    ],
    [
      'go behind references',
      { ...object({ a: { $ref: '#/$defs/A' } }), $defs: { A: object({ next: { $ref: '#/$defs/A' }, b: text }) } },
      { a: { next: { b: null, next: null } } },
      { a: { next: {} } },
    ],
    [
      'go behind references to the whole, or to a field',
      object({ a: text, b: { $ref: '#' }, c: { $ref: '#/properties/b' } }),
      { b: { a: null, b: null }, c: { a: null } },
      { b: {}, c: {} },
    ],
    ['go where an enum has none', object({ a: { enum: ['x'] } }), { a: null }, {}],
    [
      'go inside objects that may be null',
      object({ a: { anyOf: [object({ b: text }), { type: 'null' }] } }),
      { a: { b: null } },
      { a: {} },
    ],
    [
      'go inside the alternative that the value is of',
      object({
        a: {
          oneOf: [
            object({ kind: { const: 'x' }, b: text }),
            object({ kind: { const: 'y' }, b: { type: ['string', 'null'] } }),
          ],
        },
      }),
      { a: { kind: 'x', b: null } },
      { a: { kind: 'x' } },
    ],
    [
      'go inside parts of a schema',
      { allOf: [object({ a: text }), object({ b: text })] },
      { a: 'x', b: null },
      { a: 'x' },
    ],
    [
      'go inside fields of any name',
      object({ a: { type: 'object', additionalProperties: object({ b: text }) } }),
      { a: { any: { b: null } } },
      { a: { any: {} } },
    ],
    [
      'go inside the items of a tuple',
      object({ a: { type: 'array', prefixItems: [text, object({ b: text })] } }),
      { a: ['x', { b: null }] },
      { a: ['x', {}] },
    ],
    [
      'go inside alternatives that refer to each other',
      {
        ...object({ a: { $ref: '#/$defs/A' } }),
        $defs: {
          A: { anyOf: [{ $ref: '#/$defs/B' }, { $ref: '#/$defs/A' }, text] },
          B: object({ next: { $ref: '#/$defs/A' }, b: text }),
        },
      },
      { a: { next: { b: null } } },
      { a: { next: {} } },
    ],
  ])('%s', (_name, schema, value, left) => {
    const before = JSON.stringify(value)
    expect(withoutOptionalNulls(value, schema, schema as never)).toEqual(left)
    expect(JSON.stringify(value)).toBe(before)
  })

  it.each<[string, object, unknown]>([
    ['the field is required', object({ a: text }, ['a']), { a: null }],
    ['the field takes null', object({ a: { type: ['string', 'null'] } }), { a: null }],
    ['a kind of it takes null', object({ a: { anyOf: [text, { type: 'null' }] } }), { a: null }],
    ['an enum has it', object({ a: { enum: ['x', null] } }), { a: null }],
    ['it may be anything', object({ a: {} }), { a: null }],
    ['nothing is known of the field', object({}), { a: null }],
    ['there are none', object({ a: text }), { a: 'x', b: [1] }],
    ['an alternative takes null there', { anyOf: [object({ a: text }), object({ a: { type: 'null' } })] }, { a: null }],
    ['a part of the schema requires it', { allOf: [object({ a: text }), object({ a: text }, ['a'])] }, { a: null }],
  ])('stay, and the value is the same object, when %s', (_name, schema, value) => {
    expect(withoutOptionalNulls(value, schema, schema as never)).toBe(value)
  })

  it('stay beyond what is compared in all, as schemas and values of others may be large', () => {
    const kinds = Array.from({ length: 100 }, (_, index) => object({ a: text, [`b${index}`]: text }))
    const value = Array.from({ length: 1_000 }, () => ({ a: null }))
    const schema = { type: 'array', items: { anyOf: kinds } }
    const left = withoutOptionalNulls(value, schema, schema as never) as object[]
    const cleaned = left.filter((item) => !('a' in item)).length
    expect(cleaned).toBeGreaterThan(100)
    expect(cleaned).toBeLessThan(1_000)
  })

  it('are removed from tool input, whatever library the schema is from', async () => {
    const json = await compileSchema(object({ city: text, days: { type: 'integer' } }, ['city']), 'Tool "a"')
    expect(await json.validate({ city: 'Oslo', days: null })).toEqual({ value: { city: 'Oslo' } })
    const zod = await compileSchema(z.object({ city: z.string(), days: z.int().default(3) }), 'Tool "a"')
    expect(await zod.validate({ city: 'Oslo', days: null })).toEqual({ value: { city: 'Oslo', days: 3 } })
  })

  it('are removed from unions and records of zod', async () => {
    const kinds = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('text'), note: z.string().optional() }),
      z.object({ kind: z.literal('count'), count: z.number() }),
    ])
    const { validate } = await compileSchema(
      z.object({ one: kinds.nullable(), all: z.record(z.string(), z.object({ note: z.string().optional() })) }),
      'Tool "a"',
    )
    const value = { one: { kind: 'text', note: null }, all: { x: { note: null } } }
    expect(await validate(value)).toEqual({ value: { one: { kind: 'text' }, all: { x: {} } } })
  })

  it('do not hide other problems', async () => {
    const { validate } = await compileSchema(object({ city: text, days: text }, ['city']), 'Tool "a"')
    expect((await validate({ city: null, days: null })).problems).toHaveLength(2)
  })
})
