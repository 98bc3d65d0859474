import { describe, expect, it } from 'vitest'
import type { JSONSchema } from '../index.ts'
import { compileSchema } from './schema.ts'

/** The CPU time of a validation, in milliseconds, and its result: the least of three, since other work of the process counts. */
async function cost(schema: JSONSchema, value: unknown): Promise<{ ms: number; problems: string[] | undefined }> {
  const { validate } = await compileSchema(schema, 'Tool "walk"')
  await validate({})
  let ms = Number.POSITIVE_INFINITY
  let problems: string[] | undefined
  for (let time = 0; time < 3; time++) {
    const before = process.cpuUsage()
    problems = (await validate(value)).problems
    const { user, system } = process.cpuUsage(before)
    ms = Math.min(ms, (user + system) / 1000)
  }
  return { ms, problems }
}

/** Twice the limit: the CPU time of the process includes garbage collection. */
const most = 400
const tooDeep = [expect.stringContaining('too deep for the schema of Tool "walk"')]

function nested(levels: number, leaf: object = {}): object {
  let value = leaf
  for (let level = 1; level < levels; level++) value = { next: value }
  return value
}

const branches = (keyword: string): JSONSchema => {
  const next = { type: 'object', properties: { next: { $ref: '#/$defs/node' }, end: { type: 'number' } } }
  return {
    type: 'object',
    properties: next.properties,
    $defs: { node: { [keyword]: [next, { ...next, title: 'b' }] } },
  }
}

describe('validation by a schema whose branches refer to themselves', () => {
  it.each([
    ['anyOf', 20],
    ['anyOf', 64],
    ['oneOf', 20],
    ['oneOf', 64],
    ['allOf', 64],
  ])('stops for %s and %i levels, with the fix', async (keyword, levels) => {
    const { ms, problems } = await cost(branches(keyword), nested(levels, { end: 'no number' }))
    expect(problems).toEqual(tooDeep)
    expect(ms).toBeLessThan(most)
  })

  it('accepts values of few levels', async () => {
    expect((await cost(branches('anyOf'), nested(6, { end: 1 }))).problems).toBeUndefined()
  })

  it('accepts values of all levels when a field selects the branch', async () => {
    const branch = (kind: string) => ({
      type: 'object',
      properties: { kind: { const: kind }, next: { $ref: '#/$defs/node' } },
      required: ['kind'],
    })
    const schema = {
      type: 'object',
      properties: { next: { $ref: '#/$defs/node' } },
      $defs: { node: { oneOf: ['a', 'b', 'c'].map(branch) } },
    }
    let value: object = { kind: 'a' }
    for (let level = 1; level < 63; level++) value = { kind: 'abc'[level % 3], next: value }
    expect((await cost(schema, { next: value })).problems).toBeUndefined()
  })
})

it('stops when definitions branch without a cycle, for an object of any size', async () => {
  const defs = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `a${index}`,
      { allOf: [{ $ref: `#/$defs/a${index + 1}` }, { $ref: `#/$defs/a${index + 1}` }] },
    ]),
  )
  const schema = { type: 'object', allOf: [{ $ref: '#/$defs/a0' }], $defs: { ...defs, a40: {} } }
  const { ms, problems } = await cost(schema, fields(9_000))
  expect(problems).toEqual(tooDeep)
  expect(ms).toBeLessThan(most)
})

it('determines once per definition whether a field accepts null', async () => {
  const defs = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `a${index}`,
      { anyOf: [{ $ref: `#/$defs/a${index + 1}` }, { $ref: `#/$defs/a${index + 1}` }] },
    ]),
  )
  const schema = {
    type: 'object',
    properties: { a: { $ref: '#/$defs/a0' }, b: { type: 'number' } },
    $defs: { ...defs, a40: { type: 'string' } },
  }
  expect((await cost(schema, { a: null, b: 'x' })).ms).toBeLessThan(most * 2)
})

describe('patterns', () => {
  it.each([
    ['of names', { patternProperties: Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`^k${at}$`, {}])) }],
    ['of a name', { patternProperties: { '\\s+$': {} } }],
    ['of text', { additionalProperties: { type: 'string', pattern: '^\\S+@\\S+\\.\\S+$' } }],
  ])('%s are matched within limits', async (_what, schema) => {
    const long = { [`${' '.repeat(500_000)}x`]: '@.'.repeat(500_000) }
    const { ms, problems } = await cost({ type: 'object', ...schema }, { ...fields(9_000), ...long })
    expect(problems).toBeDefined()
    expect(ms).toBeLessThan(most * 2)
  })

  it('keep their meaning, and are described unchanged', async () => {
    const pattern = '(a)\\1|^b$'
    const schema = { type: 'object', properties: { text: { type: 'string', pattern } } }
    const { json, validate } = await compileSchema(schema, 'Tool "walk"')
    expect((await validate({ text: 'xaa' })).problems).toBeUndefined()
    expect((await validate({ text: 'b' })).problems).toBeUndefined()
    expect((await validate({ text: 'xb' })).problems).toEqual([expect.stringContaining('does not match pattern')])
    expect((await validate({ text: `aa${'x'.repeat(10_000)}` })).problems).toHaveLength(1)
    expect(structuredClone(json)).toEqual(schema)
    expect(JSON.stringify(json)).toBe(JSON.stringify(schema))
  })
})

it('accept 10,000 fields, and a list of 1,000 unique items', async () => {
  const strings = { type: 'object', patternProperties: { '^key': { type: 'string' } }, additionalProperties: false }
  const { ms, problems } = await cost(strings, fields(10_000))
  expect(problems).toBeUndefined()
  expect(ms).toBeLessThan(most)
  const unique = { type: 'object', properties: { list: { type: 'array', uniqueItems: true } } }
  expect((await cost(unique, { list: Array.from({ length: 1_000 }, (_, at) => ({ at })) })).problems).toBeUndefined()
})

function fields(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'x']))
}

describe('validating a large value with many errors', () => {
  it('reports the first error without collecting all of them', async () => {
    const item = { anyOf: Array.from({ length: 12 }, (_, index) => ({ type: 'string', minLength: 5 + index })) }
    const schema = { type: 'object', properties: { items: { type: 'array', items: item } } }
    for (const wrong of ['abcd', 1]) {
      const { ms, problems } = await cost(schema, { items: new Array(9_000).fill(wrong) })
      expect(problems?.[0]).toMatch(/^#\/items\/0: /)
      expect(ms).toBeLessThan(most)
    }
  })
})
