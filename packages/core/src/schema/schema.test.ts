import { scope, type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as zMini from 'zod/v4-mini'
import { z as z3 } from 'zod3'
import { refuseUnhandledRejections } from '../__fixtures__/rejections.ts'
import type { StandardSchema } from '../contracts/standard-schema.ts'
import type { JSONSchema, JSONValue } from '../data/message.ts'
import { describeSchema } from './describe-schema.ts'
import { jsonSchemaValidator } from './json-schema-validator.ts'
import { compileSchema, schemaValidator } from './schema.ts'

refuseUnhandledRejections()

const text = { type: 'string' }
const cityAndDays = { type: 'object', properties: { city: text, days: { type: 'number' } }, required: ['city'] }

describe('a schema is described to the model', () => {
  it.each<[string, StandardSchema | JSONSchema, object]>([
    ['zod 4', z.object({ city: z.string(), days: z.number().optional() }), cityAndDays],
    ['zod 4 mini', zMini.object({ city: zMini.string(), days: zMini.optional(zMini.number()) }), cityAndDays],
    [
      'zod 3',
      z3.object({ city: z3.string(), days: z3.number().optional() }),
      { ...cityAndDays, additionalProperties: false },
    ],
    ['valibot', v.object({ city: v.string(), days: v.optional(v.number()) }), cityAndDays],
    ['arktype', type({ city: 'string', 'days?': 'number' }), cityAndDays],
    ['JSON Schema', { $schema: 'https://json-schema.org/draft/2020-12/schema', ...cityAndDays }, cityAndDays],
  ])('from %s, without $schema', async (_name, schema, json) => {
    const compiled = await compileSchema(schema, 'Tool "t"')
    expect(compiled.json).toEqual(json)
    expect(JSON.parse(JSON.stringify(compiled.json))).toEqual(json)
  })

  it('from a frozen JSON Schema, which is not changed', async () => {
    const schema = Object.freeze({ type: 'object', properties: Object.freeze({ city: Object.freeze({ ...text }) }) })
    const { validate } = await compileSchema(schema, 'Tool "t"')
    expect(await validate({ city: 7 })).toHaveProperty('problems')
    const open = { type: 'object', properties: { city: { ...text } } }
    await compileSchema(open, 'Tool "t"')
    expect(Reflect.ownKeys(open.properties.city)).toEqual(['type'])
  })

  it('from a JSON Schema with an undefined field, which is none', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' }, b: undefined }, additionalProperties: false }
    const { json, validate } = await compileSchema(schema, 'Tool "echo"')
    expect(Object.keys(json.properties as object)).toEqual(['a'])
    expect(await validate({ a: 'x' })).toEqual({ value: { a: 'x' } })
    expect(await validate({ b: 1 })).toMatchObject({
      problems: [expect.stringContaining('"b"'), '#/b: False boolean schema.'],
    })
  })

  it('by its own conversion if it has one, for the input side', async () => {
    const asked: unknown[] = []
    const schema: StandardSchema = {
      '~standard': {
        version: 1,
        vendor: 'own',
        validate: (value) => ({ value }),
        jsonSchema: {
          input(options) {
            asked.push(options)
            return cityAndDays
          },
        },
      },
    }
    expect((await compileSchema(schema, 'Tool "t"')).json).toEqual(cityAndDays)
    expect(asked).toEqual([{ target: 'draft-2020-12' }])
  })
})

describe('a schema that is described as a reference to its name', () => {
  const forest = scope({ tree: { name: 'string', branches: 'tree[]' } }).export()

  it.each<[string, StandardSchema | JSONSchema]>([
    ['zod 4 with an id', z.object({ name: z.string() }).meta({ id: 'Tree' })],
    ['arktype, recursive', forest.tree],
    ['JSON Schema', { $ref: '#/$defs/tree', $defs: { tree: { type: 'object', properties: { name: text } } } }],
    ['draft 7', { $ref: '#/definitions/t', definitions: { t: { type: 'object', properties: { name: text } } } }],
  ])('has its own type "object": %s', async (_name, schema) => {
    const { json, validate } = await compileSchema(schema, 'Tool "t"')
    expect(json).toMatchObject({ type: 'object', properties: { name: text } })
    expect(json).not.toHaveProperty('$ref')
    expect(await validate({ name: 'oak', branches: [] })).toMatchObject({ value: { name: 'oak' } })
    expect((await validate({ name: 7, branches: [] })).problems).toHaveLength(1)
  })

  it.each<[string, JSONSchema]>([
    ['a name that is not there', { $ref: '#/$defs/tree', $defs: {} }],
    ['itself', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }],
    ['a name of every object', { $ref: '#/$defs/__proto__', $defs: {} }],
    ['another document', { $ref: 'https://example.com/tree' }],
  ])('is not changed when it refers to %s', async (_name, schema) => {
    expect(await describeSchema(schema, { name: 'Tool "t"', option: 'input' })).toEqual(schema)
  })
})

describe('a schema with any root', () => {
  it.each<[string, StandardSchema | JSONSchema, RegExp]>([
    ['zod', z.array(z.object({ n: z.number() })), /^value\.0\.n: /],
    ['JSON Schema', { type: 'array', items: { properties: { n: { type: 'number' } } } }, /^#\/value\/0\/n: /],
  ])('is validated, with the path of the value in its problems: %s', async (_name, schema, path) => {
    const owner = { name: 'The list', option: 'list' }
    const validate = await schemaValidator(schema, await describeSchema(schema, owner), owner, ['value'])
    expect(await validate([{ n: 1 }])).toEqual({ value: [{ n: 1 }] })
    expect((await validate([{ n: 'one' }])).problems).toEqual([expect.stringMatching(path)])
  })

  it('is named by its owner and option when it cannot be described', async () => {
    const refused = describeSchema(z.date(), { name: 'The list', option: 'list' })
    await expect(refused).rejects.toThrow(/^The list: .*give `list` as a JSON Schema\.$/)
  })
})

describe('a schema validates input', () => {
  it.each<[string, StandardSchema, string]>([
    ['zod 4', z.object({ place: z.object({ city: z.string() }), unit: z.string().default('C') }), 'place.city'],
    [
      'zod 4 mini',
      zMini.object({ place: zMini.object({ city: zMini.string() }), unit: zMini._default(zMini.string(), 'C') }),
      'place.city',
    ],
    ['zod 3', z3.object({ place: z3.object({ city: z3.string() }), unit: z3.string().default('C') }), 'place.city'],
    ['valibot', v.object({ place: v.object({ city: v.string() }), unit: v.optional(v.string(), 'C') }), 'place.city'],
    ['arktype', type({ place: { city: 'string' }, unit: "string = 'C'" }), 'place.city'],
  ])('from %s: problems have paths, defaults are applied', async (_name, schema, path) => {
    const { validate } = await compileSchema(schema, 'Tool "t"')
    expect(await validate({ place: { city: 'Oslo' } })).toEqual({ value: { place: { city: 'Oslo' }, unit: 'C' } })
    const { problems } = await validate({ place: { city: 7 } })
    expect(problems).toHaveLength(1)
    expect(problems?.[0]).toMatch(new RegExp(`^${path}: .+`))
    expect((await validate('Oslo')).problems).toBeDefined()
  })

  it.each<[string, StandardSchema]>([
    ['zod 4', z.object({ city: z.string().transform((city) => city.length) })],
    ['zod 4 pipe', z.object({ city: z.string().pipe(z.transform((city) => city.length)) })],
    ['zod 3', z3.object({ city: z3.string().transform((city) => city.length) })],
    ['zod 3 pipe', z3.object({ city: z3.string().pipe(z3.string().transform((city) => city.length)) })],
    [
      'valibot',
      v.object({
        city: v.pipe(
          v.string(),
          v.transform((city) => city.length),
        ),
      }),
    ],
    ['arktype', type({ city: type('string').pipe((city) => city.length) })],
  ])('from %s: described by its input type, transformed to its output type', async (_name, schema) => {
    const { json, validate } = await compileSchema(schema, 'Tool "t"')
    expect(json).toMatchObject({ properties: { city: text } })
    expect(await validate({ city: 'Oslo' })).toEqual({ value: { city: 4 } })
  })

  it.each<[string, StandardSchema, unknown]>([
    ['coerced', z3.object({ at: z3.coerce.date() }), { at: '2026-01-31' }],
    ['one of two choices', z3.object({ at: z3.union([z3.string(), z3.date()]) }), { at: 'soon' }],
    ['may be null', z3.object({ at: z3.date().nullable() }), { at: null }],
    ['may be absent', z3.object({ at: z3.date().optional() }), {}],
    ['is made before', z3.object({ at: z3.preprocess((at) => new Date(String(at)), z3.date()) }), { at: '2026-01-31' }],
  ])('from zod 3, with a date that is %s', async (_name, schema, input) => {
    const { validate } = await compileSchema(schema, 'Tool "t"')
    expect(await validate(input)).toHaveProperty('value')
  })

  it('from valibot, with actions that JSON Schema does not have', async () => {
    const name = v.pipe(
      v.string(),
      v.trim(),
      v.check((name) => name !== 'root', 'taken'),
      v.brand('Name'),
    )
    const { json, validate } = await compileSchema(v.object({ name }), 'Tool "t"')
    expect(json).toMatchObject({ properties: { name: text } })
    expect(await validate({ name: ' ada ' })).toEqual({ value: { name: 'ada' } })
    expect(await validate({ name: 'root' })).toEqual({ problems: ['name: taken'] })
  })

  it('asynchronously', async () => {
    const schema = z.object({ city: z.string().refine(async (city) => city === 'Oslo', 'unknown city') })
    const { validate } = await compileSchema(schema, 'Tool "t"')
    expect(await validate({ city: 'Bergen' })).toEqual({ problems: ['city: unknown city'] })
  })

  it('by JSON Schema, and reports the innermost problems with their paths', async () => {
    const { validate } = await compileSchema(
      {
        type: 'object',
        properties: { at: { type: 'string', format: 'date' }, size: { $ref: '#/$defs/size' } },
        required: ['at'],
        additionalProperties: false,
        $defs: { size: { enum: ['s', 'l'] } },
      },
      'Tool "t"',
    )
    expect(await validate({ at: '2026-01-31', size: 's' })).toEqual({ value: { at: '2026-01-31', size: 's' } })
    const { problems = [] } = await validate({ at: 'tomorrow', size: 'm', more: 1 })
    expect(problems.join('\n')).toMatch(/at.*format/)
    expect(problems.join('\n')).toMatch(/size.*m.*s.*l|size/)
    expect(problems.join('\n')).toContain('more')
    expect(problems.join('\n')).not.toMatch(/does not match schema/)
    expect((await validate({})).problems?.join()).toContain('at')
    expect((await validate(null)).problems).toBeDefined()
  })

  it.each<[JSONSchema, JSONValue, string]>([
    [{ maxProperties: 1 }, { a: 1, b: 2 }, '#/of: Instance has more than 1 properties.'],
    [{ minProperties: 1 }, {}, '#/of: Instance does not have at least 1 properties.'],
    [{ exclusiveMinimum: 0 }, 0, '#/of: 0 is less than or equal to 0.'],
    [{ minimum: 1 }, 0, '#/of: 0 is less than 1.'],
  ])('says what is wrong by %j', async (part, value, problem) => {
    const { validate } = await compileSchema({ type: 'object', properties: { of: part } }, 'Tool "t"')
    expect(await validate({ of: value })).toEqual({ problems: [problem] })
  })

  it.each<[string, StandardSchema | JSONSchema]>([
    ['zod', z.object({ list: z.array(z.object({ n: z.number() })) })],
    [
      'JSON Schema',
      {
        type: 'object',
        properties: { list: { type: 'array', items: { type: 'object', properties: { n: { type: 'number' } } } } },
      },
    ],
  ])('with a bounded number of problems: %s', async (_name, schema) => {
    const { validate } = await compileSchema(schema, 'Tool "t"')
    const { problems = [] } = await validate({ list: Array.from({ length: 200 }, () => ({ n: 'x' })) })
    expect(problems.length).toBeGreaterThan(1)
    expect(problems.length).toBeLessThanOrEqual(11)
    expect(problems.at(-1)).toMatch(/^and \d+ more$/)
  })
})

describe('the validation by a JSON Schema', () => {
  const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, additionalProperties: false }
  const schema = { type: 'array', items: { $ref: '#/$defs/node' }, $defs: { node } }

  it('accepts a schema with any root, and returns the value unchanged', async () => {
    const validate = await jsonSchemaValidator(schema, 'The chain')
    const value = [{ next: {} }]
    expect(validate(value)).toEqual({ value })
    expect(validate([{ next: 7 }])).toEqual({
      problems: ['#/0/next: Instance type "number" is invalid. Expected "object".'],
    })
  })

  it('reports the place of the value', async () => {
    const validate = await jsonSchemaValidator(text, 'The answer', ['value'])
    expect(validate(7).problems).toEqual([expect.stringMatching(/^#\/value: /)])
  })

  it('validates by a part of the schema, with the definitions of the whole', async () => {
    const validate = await jsonSchemaValidator(schema, 'The chain')
    expect(validate({ next: {} }, schema.items).problems).toBeUndefined()
    expect(validate({ next: 7 }, schema.items).problems).toHaveLength(1)
    expect(validate({ other: {} }, node).problems).not.toBeUndefined()
  })

  it.each<[string, unknown]>([
    ['undefined', { next: undefined }],
    ['a function', { next: () => {} }],
    ['what never ends', endless()],
  ])('reports %s, which JSON does not have', async (_name, value) => {
    const validate = await jsonSchemaValidator(schema, 'The chain')
    expect(validate([value]).problems).toEqual([expect.stringMatching(/^#: \w+/)])
  })

  it('refuses a schema that contradicts itself, with its name', async () => {
    const broken = { properties: { a: { $id: 'x' }, b: { $id: 'x' } } }
    await expect(jsonSchemaValidator(broken, 'The chain')).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringMatching(/^The chain: its schema cannot be used as JSON Schema \(.+\)\.$/),
    })
  })

  function endless(): object {
    const value: { next?: object } = {}
    value.next = value
    return value
  }
})

describe('a schema is refused, with its owner and the fix', () => {
  it.each<[string, StandardSchema | JSONSchema, RegExp]>([
    ['a text of zod', z.string(), /root must be an object/],
    ['a list of zod 3', z3.array(z3.string()), /root must be an object/],
    ['a text of valibot', v.string(), /root must be an object/],
    ['a number of arktype', type('number'), /root must be an object/],
    [
      'a union of objects',
      z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
      /root must be an object/,
    ],
    ['a JSON Schema of a text', text, /root must be an object/],
    ['a JSON Schema of nothing', {}, /root must be an object/],
    ['a date of zod', z.object({ at: z.date() }), /JSON Schema/],
    [
      'a date of zod 3',
      z3.object({ trip: z3.object({ at: z3.date() }) }),
      /trip\.at is a Date, which JSON does not have: z\.coerce\.date\(\) takes a text/,
    ],
    ['a date of valibot', v.object({ at: v.date() }), /JSON Schema/],
    [
      'a JSON Schema that contradicts itself',
      { type: 'object', properties: { a: { $id: 'x' }, b: { $id: 'x' } } },
      /JSON Schema/,
    ],
    [
      'an unknown vendor',
      {
        '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) },
      } satisfies StandardSchema,
      /"own" cannot be turned into JSON Schema. Give `input` as a JSON Schema/,
    ],
  ])('%s', async (_name, schema, message) => {
    const refusal = await compileSchema(schema, 'Tool "t"').catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'invalid-argument', message: expect.stringMatching(message) })
    expect(String(refusal)).toContain('Tool "t"')
  })
})

describe('an asynchronous check of a schema', () => {
  const schemas: [string, (check: (city: string) => Promise<boolean>) => StandardSchema][] = [
    ['zod 4', (check) => z.object({ city: z.string().refine(check) })],
    ['zod 4 mini', (check) => zMini.object({ city: zMini.string().check(zMini.refine(check)) })],
    ['zod 3', (check) => z3.object({ city: z3.string().refine(check) })],
    ['valibot', (check) => v.objectAsync({ city: v.pipeAsync(v.string(), v.checkAsync(check)) })],
  ]
  const compiled = (schema: StandardSchema) => schemaValidator(schema, {}, { name: 'Tool "t"', option: 'input' })

  it.each(schemas)('of %s runs once', async (_name, make) => {
    const checked: string[] = []
    const validate = await compiled(make(async (city) => checked.push(city) > 0))
    expect(await validate({ city: 'Oslo' })).toEqual({ value: { city: 'Oslo' } })
    expect(checked).toEqual(['Oslo'])
    const refuse = await compiled(make(async () => false))
    expect((await refuse({ city: 'Oslo' })).problems).toEqual([expect.stringMatching(/^city: /)])
  })

  it.each(schemas)('of %s that rejects is an error of the validation alone', async (_name, make) => {
    const validate = await compiled(make(() => Promise.reject(new Error('The database is away.'))))
    await expect(validate({ city: 'Oslo' })).rejects.toThrow('The database is away.')
  })
})
