import type { JSONSchema } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { toGeminiSchema } from './gemini-schema.ts'

const node = (required: string[]): JSONSchema => ({
  type: 'object',
  properties: { value: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/Node' } } },
  required,
})

describe('a schema for Gemini (Q60)', () => {
  it.each<[name: string, schema: JSONSchema, converted: JSONSchema]>([
    ['a constant is an enum of one', { const: 'a' }, { type: 'string', enum: ['a'] }],
    ['a constant keeps its type', { type: 'integer', const: 3 }, { type: 'integer', enum: [3] }],
    ['null is a type', { const: null }, { type: 'null' }],
    [
      'an enum with an object becomes words',
      { enum: ['a', null, { b: 1 }], description: 'A.' },
      { description: 'A. (one of: "a", null, {"b":1})' },
    ],
    ['a constant that is true becomes words', { const: true }, { type: 'boolean', description: '(one of: true)' }],
    [
      'an enum with null is one of two',
      { type: ['string', 'null'], enum: ['a', null], description: 'A.' },
      { description: 'A.', anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] },
    ],
    [
      'ignored keywords become words',
      { type: 'string', pattern: '^a', maxLength: 3, description: 'A.' },
      { type: 'string', description: 'A. (pattern: "^a"; at most so many characters: 3)' },
    ],
    [
      'what says nothing of a value is left out',
      { $schema: 'x', type: 'string', deprecated: true },
      { type: 'string' },
    ],
    [
      'all of several are one',
      {
        allOf: [
          { type: 'object', properties: { a: {} }, required: ['a'] },
          { properties: { b: {} }, required: ['b'] },
        ],
      },
      { type: 'object', properties: { a: {}, b: {} }, required: ['a', 'b'] },
    ],
    [
      'a tuple of draft 7 has prefixItems',
      { type: 'array', items: [{ const: 1 }], additionalItems: false },
      { type: 'array', prefixItems: [{ type: 'number', enum: [1] }] },
    ],
    [
      'a required name that is no property is left out',
      { type: 'object', properties: { a: {} }, required: ['a', 'b'] },
      { type: 'object', properties: { a: {} }, required: ['a'] },
    ],
    [
      'schemas inside of it are converted too',
      { type: 'object', additionalProperties: { const: 'a' } },
      { type: 'object', additionalProperties: { type: 'string', enum: ['a'] } },
    ],
    [
      'closed objects stay so',
      { type: 'object', additionalProperties: false },
      { type: 'object', additionalProperties: false },
    ],
    [
      'a reference to elsewhere is any value',
      { properties: { a: { $ref: 'https://a.b' } } },
      { properties: { a: {} } },
    ],
  ])('%s', (_name, schema, converted) => {
    expect(toGeminiSchema(schema)).toEqual({ schema: converted, opened: [] })
  })

  it('writes the keywords beside a reference around it', () => {
    const { schema } = toGeminiSchema({
      type: 'object',
      properties: { a: { $ref: '#/definitions/A', description: 'The a.' }, b: { $ref: '#/definitions/A' } },
      definitions: { A: { const: 'a' } },
    })
    expect(schema).toEqual({
      type: 'object',
      properties: { a: { description: 'The a.', anyOf: [{ $ref: '#/$defs/A' }] }, b: { $ref: '#/$defs/A' } },
      $defs: { A: { type: 'string', enum: ['a'] } },
    })
  })

  it('replaces a root that only refers to a definition', () => {
    const person = { type: 'object', properties: { name: { type: 'string' } } }
    expect(toGeminiSchema({ $ref: '#/$defs/Person', $defs: { Person: person } }).schema).toEqual(person)
  })

  it('leaves recursion through fields that may be absent', () => {
    const schema = { ...node(['value']), $defs: { Node: node(['value']) } }
    expect(toGeminiSchema(schema)).toEqual({ schema, opened: [] })
  })

  it('leaves a place open where a definition must hold itself', () => {
    const { schema, opened } = toGeminiSchema({
      type: 'object',
      properties: { tree: { $ref: '#/$defs/Node' } },
      required: ['tree'],
      $defs: { Node: node(['value', 'children']) },
    })
    expect(opened).toEqual(['Node'])
    expect(schema.$defs).toMatchObject({
      Node: { properties: { children: { items: { type: 'object', description: 'One more Node.' } } } },
    })
  })

  it('leaves a place open where two definitions must hold each other', () => {
    const holding = (name: string): JSONSchema => ({
      type: 'object',
      properties: { [name]: { $ref: `#/$defs/${name}` } },
      required: [name],
    })
    const schema = { ...holding('A'), $defs: { A: holding('B'), B: holding('A') } }
    expect(toGeminiSchema(schema)).toEqual({
      schema: {
        ...holding('A'),
        $defs: {
          A: holding('B'),
          B: { type: 'object', properties: { A: { type: 'object', description: 'One more A.' } }, required: ['A'] },
        },
      },
      opened: ['A'],
    })
  })

  it('leaves two definitions of which one may do without the other', () => {
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/A' } },
      required: ['a'],
      $defs: {
        A: { type: 'object', properties: { b: { $ref: '#/$defs/B' } } },
        B: { type: 'object', properties: { a: { $ref: '#/$defs/A' } }, required: ['a'] },
      },
    }
    expect(toGeminiSchema(schema)).toEqual({ schema, opened: [] })
  })

  it('takes recursion to the root', () => {
    const list = { type: 'object', properties: { next: { $ref: '#' } } }
    const converted = { type: 'object', properties: { next: { $ref: '#/$defs/root' } } }
    expect(toGeminiSchema(list).schema).toEqual({ ...converted, $defs: { root: converted } })
  })

  it('keeps definitions apart whose names are written alike (Q60)', () => {
    const properties = { a: { $ref: '#/$defs/用户' }, b: { $ref: '#/$defs/订单' }, c: { $ref: '#/$defs/用户' } }
    const schema = { type: 'object', properties, $defs: { 用户: { type: 'string' }, 订单: { type: 'number' } } }
    expect(toGeminiSchema(schema).schema).toEqual({
      type: 'object',
      properties: { a: { $ref: '#/$defs/_' }, b: { $ref: '#/$defs/__2' }, c: { $ref: '#/$defs/_' } },
      $defs: { _: { type: 'string' }, __2: { type: 'number' } },
    })
  })

  it('takes a reference to a name with a percent sign', () => {
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/100%' } },
      $defs: { '100%': { type: 'string' } },
    }
    expect(toGeminiSchema(schema).schema.$defs).toEqual({ '100_': { type: 'string' } })
  })

  it('merges a definition once, however many ways lead to it', () => {
    const level = (index: number): JSONSchema => {
      const next = { $ref: `#/$defs/d${index + 1}` }
      return index === 40 ? { type: 'string' } : { allOf: [next, next, { $ref: '#/$defs/d0' }] }
    }
    const $defs = Object.fromEntries(Array.from({ length: 41 }, (_, index) => [`d${index}`, level(index)]))
    expect(toGeminiSchema({ allOf: [{ $ref: '#/$defs/d0' }], $defs }).schema).toEqual({ type: 'string' })
  })

  describe('a definition that holds itself in an `allOf`', () => {
    const holding = (...others: JSONSchema[]): JSONSchema => ({
      type: 'object',
      properties: { tree: { $ref: '#/$defs/Node' } },
      $defs: {
        Node: {
          type: 'object',
          properties: { child: { allOf: [{ $ref: '#/$defs/Node' }, ...others], description: 'The next.' } },
        },
      },
    })

    it('refers to itself where that is all', () => {
      const properties = { child: { description: 'The next.', anyOf: [{ $ref: '#/$defs/Node' }] } }
      expect(toGeminiSchema(holding()).schema.$defs).toEqual({ Node: { type: 'object', properties } })
    })

    it('is merged once where more belongs to it', () => {
      const inner = { properties: { more: {} }, description: 'The next.' }
      const child = { type: 'object', properties: { child: inner, more: {} }, description: 'The next.' }
      expect(toGeminiSchema(holding({ properties: { more: {} } })).schema.$defs).toEqual({
        Node: { type: 'object', properties: { child } },
      })
    })

    it('stays of a size that is sent where many hold one another', () => {
      const names = Array.from({ length: 12 }, (_, index) => `d${index}`)
      const $defs = Object.fromEntries(
        names.map((name) => {
          const properties = names.map((other) => [other, { allOf: [{ $ref: `#/$defs/${other}` }, { title: name }] }])
          return [name, { type: 'object', properties: Object.fromEntries(properties) }]
        }),
      )
      const { schema } = toGeminiSchema({ type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs })
      expect(JSON.stringify(schema).length).toBeLessThan(200_000)
    })
  })

  it('converts a schema once', () => {
    const schema = { type: 'string', maxLength: 3 }
    expect(toGeminiSchema(schema)).toBe(toGeminiSchema(schema))
  })
})
