import { describe, expect, it } from 'vitest'
import { toolSchema, withOwnNames } from './tool-schema.ts'

const text = { type: 'string' }
const count = { type: 'integer' }

describe('toolSchema', () => {
  it('leaves a schema as it is, but for its dialect', () => {
    const schema = { type: 'object', properties: { city: text }, required: ['city'], additionalProperties: false }
    const dialect = { $schema: 'https://json-schema.org/draft/2020-12/schema' }
    expect(toolSchema({ ...dialect, ...schema })).toEqual({ schema, renamed: new Map() })
  })

  it('makes the root an object with properties (Q43)', () => {
    expect(toolSchema({}).schema).toEqual({ type: 'object', properties: {} })
  })

  it('makes one object of a union of several: with the keys of all, and the required keys that all share (Q43)', () => {
    const kind = (name: string): object => ({ const: name })
    const schema = {
      description: 'Finds.',
      oneOf: [
        { type: 'object', properties: { kind: kind('city'), city: text }, required: ['kind', 'city'] },
        { $ref: '#/$defs/place' },
      ],
      $defs: { place: { type: 'object', properties: { kind: kind('place'), x: count }, required: ['kind'] } },
    }
    const { description, ...made } = toolSchema(schema).schema
    expect(made).toEqual({
      type: 'object',
      properties: { kind: { anyOf: [kind('city'), kind('place')] }, city: text, x: count },
      required: ['kind'],
      $defs: schema.$defs,
    })
    expect(description).toContain('Finds.')
    expect(description).toContain('"city"')
  })

  it('joins the parts of an intersection, with the required keys of each (Q43)', () => {
    const { schema } = toolSchema({
      type: 'object',
      properties: { a: text },
      required: ['a'],
      allOf: [{ properties: { b: text }, required: ['b'] }, { properties: { c: text } }],
    })
    expect(schema).toMatchObject({ properties: { a: text, b: text, c: text }, required: ['a', 'b'] })
    expect(schema).not.toHaveProperty('allOf')
  })

  it('looks up a root that is a reference', () => {
    const place = { type: 'object', properties: { x: count } }
    const { schema } = toolSchema({ $ref: '#/definitions/place', definitions: { place } })
    expect(schema).toMatchObject(place)
    expect(schema).not.toHaveProperty('$ref')
  })

  it('gives keys that the API refuses other names, and the arguments their own again', () => {
    const long = 'settings__'.repeat(8)
    const keys = ['filter[id]', 'größe', 'a b', 'a/b', 'page.size', '', '漢字', long, `${long}x`]
    const { schema, renamed } = toolSchema({
      type: 'object',
      properties: Object.fromEntries(keys.map((key) => [key, text])),
      required: ['filter[id]', 'page.size'],
    })
    const names = Object.keys(schema.properties as object)
    expect(names.every((name) => /^[a-zA-Z0-9_.-]{1,64}$/.test(name))).toBe(true)
    expect(new Set(names).size).toBe(keys.length)
    expect(schema.required).toEqual(['filter_id_', 'page.size'])
    const written = JSON.stringify(Object.fromEntries(names.map((name, index) => [name, index])))
    expect(Object.keys(JSON.parse(withOwnNames(written, renamed)))).toEqual(keys)
  })

  it('never gives a key the name of another', () => {
    const { schema, renamed } = toolSchema({ type: 'object', properties: { 'a b': text, a_b: count } })
    expect(schema.properties).toMatchObject({ a_b: count })
    expect([...renamed.values()]).toEqual(['a b'])
    expect([...renamed.keys()]).not.toContain('a_b')
  })

  it('renames thousands of keys in no time', () => {
    const keys = Array.from({ length: 10_000 }, (_, index) => `ключ ${index}`)
    const start = performance.now()
    const { renamed } = toolSchema({ type: 'object', properties: Object.fromEntries(keys.map((key) => [key, text])) })
    expect(performance.now() - start).toBeLessThan(5_000)
    expect([...renamed.values()]).toEqual(keys)
  })

  it('gives a long key no name that another key has', () => {
    const [short, long] = ['a'.repeat(64), 'a'.repeat(70)]
    const { schema } = toolSchema({ type: 'object', properties: { [long]: text, [short.replace('a', ' ')]: count } })
    expect(Object.keys(schema.properties ?? {})).toHaveLength(2)
  })

  it('leaves arguments that do not parse as they are', () => {
    expect(withOwnNames('{"a": oops', new Map([['a', 'b']]))).toBe('{"a": oops')
    expect(withOwnNames('[1]', new Map([['a', 'b']]))).toBe('[1]')
  })
})
