import type { JSONSchema } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { isStrictSchema, toolParameters } from './strict-schema.ts'

const closed = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }

/** A closed object of lists within lists. */
function nested(lists: number): JSONSchema {
  let a: JSONSchema = { type: 'string' }
  for (let list = 0; list < lists; list++) a = { type: 'array', items: a }
  return { ...closed, properties: { a } }
}

/** A closed object with fields of these schemas. */
function withFields(...fields: readonly JSONSchema[]): JSONSchema {
  const properties = Object.fromEntries(fields.map((field, index) => [`field${index}`, field]))
  return { ...closed, properties, required: Object.keys(properties) }
}

/** An enum of that many values, of that many characters each. */
function choiceOf(values: number, chars: number): JSONSchema {
  return { type: 'string', enum: Array.from({ length: values }, (_, index) => String(index).padStart(chars, '0')) }
}

describe('isStrictSchema', () => {
  it.each([
    ['a closed object', closed],
    ['an empty one', { type: 'object', properties: {}, required: [], additionalProperties: false }],
    [
      'lists and choices',
      { ...closed, properties: { a: { type: 'array', items: { anyOf: [closed, { type: 'null' }] } } } },
    ],
    ['ten levels below the root', nested(9)],
    ['1,000 values to choose from', withFields(choiceOf(500, 6), choiceOf(500, 6))],
    ['250 long values', withFields(choiceOf(250, 100))],
    ['5,000 keys', withFields(...Array<JSONSchema>(5_000).fill({ type: 'string' }))],
    ['definitions', { ...closed, properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: closed } }],
    [
      'properties that are named like keywords',
      { ...closed, properties: { default: { type: 'string' } }, required: ['default'] },
    ],
  ])('accepts %s', (_name, schema) => {
    expect(isStrictSchema(schema)).toBe(true)
  })

  it.each([
    ['an open object', { ...closed, additionalProperties: true }],
    ['an object that does not say', { type: 'object', properties: {} }],
    ['an optional key', { ...closed, required: [] }],
    ['an open object within', { ...closed, properties: { a: { type: 'object', properties: {} } } }],
    ['an open object in a list', { ...closed, properties: { a: { type: 'array', items: { type: 'object' } } } }],
    ['eleven levels below the root', nested(10)],
    ['a property that is not a schema', { ...closed, properties: { a: true } as object }],
    ['properties that are a list', { ...closed, properties: [] as object, required: [] }],
    ['a list of anything', { ...closed, properties: { a: { type: 'array' } } }],
    ['a keyword that strict mode refuses', { ...closed, properties: { a: { type: 'string', default: 'x' } } }],
    [
      'a reference that is described',
      { ...closed, properties: { a: { $ref: '#/$defs/b', description: 'B' } }, $defs: { b: closed } },
    ],
    ['anything at all', { ...closed, properties: { a: { description: 'A' } } }],
    ['a root that is not an object', { anyOf: [closed] }],
    ['nothing', {}],
    ['a root with variants', { ...closed, anyOf: [closed] }],
    ['a required key that is none', { ...closed, required: ['a', 'b'] }],
    ['1,001 values to choose from', withFields(choiceOf(500, 6), choiceOf(501, 6))],
    ['251 long values', withFields(choiceOf(251, 100))],
    ['5,001 keys', withFields(...Array<JSONSchema>(5_001).fill({ type: 'string' }))],
    ['names and values of more than 120,000 characters', withFields(choiceOf(240, 300), choiceOf(240, 300))],
  ])('rejects %s (Q25)', (_name, schema) => {
    expect(isStrictSchema(schema)).toBe(false)
  })
})

describe('toolParameters', () => {
  it('makes an object of an empty schema', () => {
    expect(toolParameters({})).toEqual({ type: 'object', properties: {} })
    expect(toolParameters({ type: 'object' })).toEqual({ type: 'object', properties: {} })
  })

  it('removes the dialect, and changes nothing else', () => {
    const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...closed }
    expect(toolParameters(schema)).toEqual(closed)
    expect(schema).toHaveProperty('$schema')
  })
})
