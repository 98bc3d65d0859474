import { scope, type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod3'
import type { StandardSchema } from '../contracts/standard-schema.ts'
import type { JSONSchema } from '../data/message.ts'
import { checkOutput, compileOutput, mapSchema } from './output-format.ts'

const text = { type: 'string' }
const closed = { additionalProperties: false }

function wrapped(value: JSONSchema): JSONSchema {
  return { type: 'object', properties: { value }, required: ['value'], ...closed }
}

function ownSchema(validate: StandardSchema['~standard']['validate']): StandardSchema {
  return { '~standard': { version: 1, vendor: 'own', validate, jsonSchema: { input: () => text } } }
}

describe('an output that is an object', () => {
  const city = { type: 'object', properties: { city: text }, required: ['city'] }

  it.each<[string, StandardSchema | JSONSchema, JSONSchema]>([
    ['zod 4', z.object({ city: z.string() }), { ...city, ...closed }],
    ['zod 4, with an id', z.object({ city: z.string() }).meta({ id: 'City' }), { ...city, ...closed }],
    ['zod 3', z3.object({ city: z3.string() }), { ...city, ...closed }],
    ['valibot', v.object({ city: v.string() }), city],
    ['arktype', type({ city: 'string' }), city],
    ['JSON Schema', { $schema: 'https://json-schema.org/draft/2020-12/schema', ...city }, city],
  ])('is requested and validated without a wrapper: %s', async (_name, schema, json) => {
    const format = await compileOutput(schema)
    expect(format.json).toMatchObject(json)
    expect(await format.validate({ city: 'Oslo' })).toEqual({ value: { city: 'Oslo' } })
    expect((await format.validate({ city: 7 })).problems).toEqual([expect.stringMatching(/city/)])
    expect((await format.validate({ value: { city: 'Oslo' } })).problems).toBeDefined()
  })
})

it('is requested without halves of characters, for which servers refuse the whole request', async () => {
  const { json } = await compileOutput({
    type: 'object',
    properties: { city: { ...text, description: 'half \ud83d' } },
  })
  expect(json.properties).toEqual({ city: { ...text, description: 'half \ufffd' } })
})

it.each<[string, StandardSchema | JSONSchema]>([
  ['zod 4', z.object({ city: z.string(), days: z.number().optional() })],
  ['valibot', v.object({ city: v.string(), days: v.optional(v.number()) })],
  ['JSON Schema', { type: 'object', properties: { city: text, days: { type: 'number' } }, required: ['city'] }],
  ['a list', z.array(z.object({ city: z.string(), days: z.number().optional() }))],
])('takes null for an omitted field, which models write: %s', async (_name, schema) => {
  const { field, validate } = await compileOutput(schema)
  const answer = (value: object): unknown => (field === undefined ? value : { [field]: [value] })
  const output = (value: object): unknown => (field === undefined ? value : [value])
  expect(await validate(answer({ city: 'Oslo', days: null }))).toEqual({ value: output({ city: 'Oslo' }) })
  expect((await validate(answer({ city: null }))).problems).toHaveLength(1)
})

describe('an output that is not an object', () => {
  it.each<[string, StandardSchema | JSONSchema, JSONSchema, unknown, unknown]>([
    ['a list of zod 4', z.array(z.string()), { type: 'array', items: text }, ['a'], [7]],
    ['a list of zod 3', z3.array(z3.string()), { type: 'array', items: text }, ['a'], [7]],
    ['a list of valibot', v.array(v.string()), { type: 'array', items: text }, ['a'], [7]],
    ['a list of arktype', type('string[]'), { type: 'array', items: text }, ['a'], [7]],
    ['a list as JSON Schema', { type: 'array', items: text }, { type: 'array', items: text }, ['a'], [7]],
    ['a text', z.string(), text, 'a', 7],
    ['a number', z.number(), { type: 'number' }, 7, 'a'],
    ['null', z.null(), { type: 'null' }, null, 7],
    ['a text or null', z.string().nullable(), { type: ['string', 'null'] }, null, 7],
    ['a choice', z.enum(['a', 'b']), { enum: ['a', 'b'] }, 'b', 'c'],
    ['a choice of arktype', type("'a'|'b'"), { enum: ['a', 'b'] }, 'b', 'c'],
    ['a union', z.union([z.string(), z.array(z.string())]), { anyOf: [text, { type: 'array' }] }, ['a'], true],
    ['a union of valibot', v.union([v.string(), v.number()]), { anyOf: [text, { type: 'number' }] }, 7, true],
    [
      'a union of objects',
      z.discriminatedUnion('is', [
        z.object({ is: z.literal('a'), value: z.string() }),
        z.object({ is: z.literal('b') }),
      ]),
      { oneOf: [{ type: 'object' }, { type: 'object' }] },
      { is: 'a', value: 'x' },
      { is: 'a' },
    ],
  ])('is wrapped in the field of an object: %s', async (_name, schema, json, right, wrong) => {
    const format = await compileOutput(schema)
    expect(format.json).toMatchObject(wrapped(json))
    expect(await format.validate({ value: right })).toEqual({ value: right })
    expect((await format.validate({ value: wrong })).problems?.[0]).toMatch(/^(#\/)?value/)
    expect((await format.validate({})).problems).toEqual([
      'value: it is missing. Answer with an object that has this key.',
    ])
    expect(await format.validate(right), 'without the object around it').toEqual({ value: right })
  })

  it('is never unwrapped from another field', async () => {
    const format = await compileOutput(z.coerce.boolean())
    expect((await format.validate({ answer: false })).problems).toBeDefined()
    expect((await format.validate({ ['__proto__']: { value: true } })).problems).toBeDefined()
    expect((await format.validate(JSON.parse('{"__proto__":{"value":true}}'))).problems).toBeDefined()
    expect(await format.validate({ value: 0 })).toEqual({ value: false })
  })
})

describe('references', () => {
  type Tree = { name: string; branches: Tree[] }
  const tree4: z.ZodType<Tree> = z.object({
    name: z.string(),
    get branches() {
      return z.array(tree4)
    },
  })
  const nested4: z.ZodType = z.lazy(() => z.array(nested4))
  const tree3: z3.ZodType<Tree> = z3.object({ name: z3.string(), branches: z3.array(z3.lazy(() => tree3)) })
  const nested3: z3.ZodType = z3.union([z3.number(), z3.array(z3.lazy(() => nested3))])
  const treeV: v.GenericSchema<Tree> = v.object({ name: v.string(), branches: v.array(v.lazy(() => treeV)) })
  const arktypes = scope({ tree: { name: 'string', branches: 'tree[]' }, trees: 'tree[]' }).export()

  const oak = { name: 'oak', branches: [{ name: 'bough', branches: [] }] }
  const sick = { name: 'oak', branches: [{ name: 7, branches: [] }] }

  const cases: [string, StandardSchema | JSONSchema, unknown, unknown][] = [
    ['zod 4, of an object', tree4, oak, sick],
    ['zod 4, of a list', z.array(tree4), { value: [oak] }, { value: [sick] }],
    ['zod 4, of itself', nested4, { value: [[], [[]]] }, { value: [[7]] }],
    ['zod 3, of an object', tree3, oak, sick],
    ['zod 3, of a list', z3.array(tree3), { value: [oak] }, { value: [sick] }],
    ['zod 3, of itself', nested3, { value: [1, [2]] }, { value: [['two']] }],
    ['valibot, of an object', treeV, oak, sick],
    ['valibot, of a list', v.array(treeV), { value: [oak] }, { value: [sick] }],
    ['arktype, of an object', arktypes.tree, oak, sick],
    ['arktype, of a list', arktypes.trees, { value: [oak] }, { value: [sick] }],
    [
      'JSON Schema, of a name',
      { type: 'array', items: { $ref: '#/$defs/n' }, $defs: { n: { type: 'number' } } },
      { value: [1] },
      { value: ['one'] },
    ],
    [
      'draft 7, of a name',
      { type: 'array', items: { $ref: '#/definitions/n' }, definitions: { n: { type: 'number' } } },
      { value: [1] },
      { value: ['one'] },
    ],
    [
      'JSON Schema, of its root',
      { anyOf: [{ type: 'number' }, { type: 'array', items: { $ref: '#' } }] },
      { value: [1, [2]] },
      { value: [['two']] },
    ],
    [
      'JSON Schema, of a place',
      { type: 'array', prefixItems: [text, { $ref: '#/prefixItems/0' }] },
      { value: ['a', 'b'] },
      { value: ['a', 2] },
    ],
    [
      'JSON Schema, of an anchor',
      { type: 'array', items: { $ref: '#n' }, $defs: { n: { $anchor: 'n', type: 'number' } } },
      { value: [1] },
      { value: ['one'] },
    ],
    [
      'JSON Schema with an id',
      {
        $id: 'list',
        type: 'array',
        items: { anyOf: [{ $ref: '#/$defs/n' }, { $ref: '#' }] },
        $defs: { n: { type: 'number' } },
      },
      { value: [1, [2]] },
      { value: [['two']] },
    ],
    [
      'JSON Schema that has the name already',
      {
        type: 'array',
        items: { anyOf: [{ $ref: '#/$defs/value' }, { $ref: '#' }] },
        $defs: { value: { type: 'number' } },
      },
      { value: [1, [2]] },
      { value: [['two']] },
    ],
  ]

  it.each(cases)('resolve in the request and in the validation: %s', async (_name, schema, right, wrong) => {
    const format = await compileOutput(schema)
    expect((await format.validate(right)).problems).toBeUndefined()
    expect((await format.validate(wrong)).problems).toBeDefined()
    // The provider gets the same schema.
    const asked = await compileOutput(format.json)
    expect((await asked.validate(right)).problems).toBeUndefined()
    expect((await asked.validate(wrong)).problems).toBeDefined()
  })

  it('are where providers look for them', async () => {
    const { json } = await compileOutput({
      anyOf: [{ $ref: '#/$defs/n' }, { type: 'array', items: { $ref: '#' } }],
      $defs: { n: { type: 'number' } },
    })
    expect(json).toEqual({
      ...wrapped({ $ref: '#/$defs/value' }),
      $defs: {
        n: { type: 'number' },
        value: { anyOf: [{ $ref: '#/$defs/n' }, { type: 'array', items: { $ref: '#/$defs/value' } }] },
      },
    })
  })

  it('in plain values are unchanged', async () => {
    const { json } = await compileOutput({ enum: ['a', { $ref: '#' }] })
    expect(json).toEqual(wrapped({ enum: ['a', { $ref: '#' }] }))
  })
})

describe('other keys', () => {
  it.each<[string, z.ZodType, JSONSchema | false]>([
    ['are closed out where zod drops them', z.object({ a: z.string() }), false],
    ['are welcome where zod keeps them', z.looseObject({ a: z.string() }), {}],
    ['stay in records', z.record(z.string(), z.number()), { type: 'number' }],
  ])('%s', async (_name, schema, others) => {
    expect((await compileOutput(schema)).json).toHaveProperty('additionalProperties', others)
    expect((await compileOutput(z.array(schema))).json).toHaveProperty(
      'properties.value.items.additionalProperties',
      others,
    )
  })

  it.each<[string, StandardSchema | JSONSchema]>([
    ['valibot, which does not say what it keeps', v.looseObject({ a: v.string() })],
    ['JSON Schema, which is open where it says nothing', { type: 'object', properties: { a: text } }],
  ])('remain allowed in %s', async (_name, schema) => {
    expect((await compileOutput(schema)).json).not.toHaveProperty('additionalProperties')
  })

  it('remain allowed in the parts of an intersection', async () => {
    const both = z.intersection(z.record(z.string(), z.string()), z.object({ a: z.string() }))
    const { json } = await compileOutput(both)
    const asked = await compileOutput(json)
    expect((await asked.validate({ value: { a: 'x', b: 'y' } })).problems).toBeUndefined()
  })
})

describe('the value', () => {
  it.each<[string, StandardSchema, unknown, unknown]>([
    [
      'zod 4',
      z.object({ at: z.string().transform(Number), n: z.coerce.number(), d: z.number().default(3) }),
      { at: '1', n: '2' },
      { at: 1, n: 2, d: 3 },
    ],
    [
      'zod 3',
      z3.object({ at: z3.string().transform(Number), n: z3.coerce.number(), d: z3.number().default(3) }),
      { at: '1', n: '2' },
      { at: 1, n: 2, d: 3 },
    ],
    [
      'valibot',
      v.object({ at: v.pipe(v.string(), v.transform(Number)), d: v.optional(v.number(), 3) }),
      { at: '1' },
      { at: 1, d: 3 },
    ],
    ['arktype', type({ at: 'string.numeric.parse', d: 'number = 3' }), { at: '1' }, { at: 1, d: 3 }],
    ['zod 4, of no object', z.string().transform(Number), { value: '1' }, 1],
    [
      'zod 4, of dates',
      z.iso.datetime().transform((at) => new Date(at).getUTCFullYear()),
      { value: '2026-01-31T00:00:00Z' },
      2026,
    ],
  ])('is the output of the schema: %s', async (_name, schema, answer, value) => {
    const format = await compileOutput(schema)
    expect(await format.validate(answer)).toEqual({ value })
  })

  it('is the parsed JSON when the schema is a JSON Schema', async () => {
    const format = await compileOutput({ type: 'object', properties: { d: { type: 'number', default: 3 } } })
    expect(await format.validate({ other: 1 })).toEqual({ value: { other: 1 } })
  })

  it('may be validated asynchronously', async () => {
    const format = await compileOutput(z.array(z.string().refine(async (city) => city === 'Oslo', 'unknown city')))
    expect(await format.validate({ value: ['Oslo'] })).toEqual({ value: ['Oslo'] })
    expect(await format.validate({ value: ['Oslo', 'Ur'] })).toEqual({ problems: ['value.1: unknown city'] })
  })

  it.each<[string, StandardSchema, string]>([
    ['throws', z.string().transform((json) => JSON.parse(json)), 'JSON'],
    ['rejects', ownSchema(async () => Promise.reject(new Error('the register is closed'))), 'the register is closed'],
    [
      'throws nothing',
      z.string().transform(() => {
        throw undefined
      }),
      'The check failed without a message.',
    ],
    ['is broken', ownSchema(() => undefined as never), 'undefined'],
  ])('has a problem when its validation %s', async (_name, schema, problem) => {
    const format = await compileOutput(schema)
    expect((await format.validate({ value: 'x' })).problems).toEqual([expect.stringContaining(problem)])
  })

  it('has a bounded number of problems', async () => {
    const format = await compileOutput(z.array(z.string()))
    const { problems } = await format.validate({ value: Array.from({ length: 1000 }, () => 7) })
    expect(problems).toHaveLength(11)
    expect(problems?.at(-1)).toBe('and 990 more')
  })

  it('does not overflow the stack of a validator', async () => {
    const format = await compileOutput({ type: 'object', properties: { a: { $ref: '#' } } })
    const deep = JSON.parse(`${'{"a":'.repeat(990)}{}${'}'.repeat(990)}`)
    await expect(format.validate(deep)).resolves.toBeDefined()
  })

  it('does not pollute prototypes', async () => {
    const hostile = JSON.parse('{"city":"Oslo","__proto__":{"polluted":true}}')
    for (const schema of [
      z.looseObject({ city: z.string() }),
      z.record(z.string(), z.any()),
      v.looseObject({ city: v.string() }),
      type({ city: 'string' }),
      { type: 'object' },
    ]) {
      const { value } = (await (await compileOutput(schema)).validate(hostile)) as { value: object }
      expect(value).toMatchObject({ city: 'Oslo' })
      expect((value as { polluted?: true }).polluted).toBeUndefined()
    }
    expect({}).not.toHaveProperty('polluted')
  })
})

describe('an output that is refused, with the fix', () => {
  it.each<[string, unknown, RegExp]>([
    ['nothing', null, /give a Standard Schema \(zod, valibot, arktype, …\) or a JSON Schema, or leave it out/],
    ['a word', 'json', /give a Standard Schema/],
    [
      'a schema of zod 3.22',
      { _def: {}, parse: () => {} },
      /`output` is a schema of a library, without Standard Schema/,
    ],
    ['a word that is no type', { type: 'text' }, /output has the type "text"/],
    [
      'a reference to nothing',
      { type: 'array', items: { $ref: '#/$defs/none' } },
      /output\.items refers to #\/\$defs\/none/,
    ],
    ['schemas of fields of arktype', { city: type('string') }, /Wrap them/],
    ['schemas of fields', { city: z.string() }, /Wrap them: output: z\.object\(/],
  ])('at once: %s', (_name, output, message) => {
    expect(() => checkOutput(output)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringMatching(message) }),
    )
    expect(() => checkOutput(output)).toThrow("The agent's `output`: ")
  })

  it.each<[string, StandardSchema | JSONSchema, RegExp]>([
    ['a date', z.object({ at: z.date() }), /Use what JSON has, such as a text for a date/],
    ['a date of valibot', v.date(), /Use what JSON has/],
    [
      'an unknown vendor',
      {
        '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) },
      } satisfies StandardSchema,
      /Give `output` as a JSON Schema instead/,
    ],
    [
      'a JSON Schema that contradicts itself',
      { type: 'object', properties: { a: { $id: 'x' }, b: { $id: 'x' } } },
      /JSON Schema/,
    ],
    ['schemas of fields', { city: z.string() }, /Wrap them/],
  ])('when it is compiled: %s', async (_name, output, message) => {
    const refusal = await compileOutput(output).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'invalid-argument', message: expect.stringMatching(message) })
    expect(String(refusal)).toContain("The agent's `output`: ")
  })

  it.each([
    ['zod 4', z.string()],
    ['arktype, which is a function', type('string')],
    ['JSON Schema', { type: 'string' }],
    ['JSON Schema of anything', {}],
  ])('unless it is a schema: %s', (_name, output) => {
    expect(() => checkOutput(output)).not.toThrow()
  })
})

describe('mapSchema', () => {
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
  ])('visits a schema %s, innermost first', (_name, schema) => {
    expect(seen({ ...schema, title: 'out' })).toEqual(['in', 'out'])
  })

  it.each<[string, JSONSchema]>([
    [
      'plain values',
      { enum: [{ title: 'in' }], const: { title: 'in' }, default: { title: 'in' }, examples: [{ title: 'in' }] },
    ],
    ['a schema with an id of its own', { items: { $id: 'list', title: 'in' } }],
    ['what is not a schema', { properties: null, items: true, required: ['title'] }],
  ])('does not change %s', (_name, schema) => {
    expect(seen({ ...schema, title: 'out' })).toEqual(['out'])
    expect(mapSchema(schema, (child) => child)).toEqual(schema)
  })

  it('returns a copy', () => {
    const schema = { items: { type: 'string' }, properties: { __proto__: null, a: { type: 'string' } } }
    const copy = mapSchema(schema, (child) => ({ ...child, title: 'new' }))
    expect(copy).toMatchObject({ title: 'new', items: { title: 'new' }, properties: { a: { title: 'new' } } })
    expect(schema.items).toEqual({ type: 'string' })
  })
})
