import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema'
import { describe, expect, it } from 'vitest'
import { outputSchema } from './output-schema.ts'

const text = { type: 'string' }
const closed = (properties: object, more: object = {}): { type: string } =>
  ({
    type: 'object',
    properties,
    additionalProperties: false,
    ...more,
  }) as { type: string }

describe('outputSchema', () => {
  it.each([
    ['plain values', closed({ a: text, b: { type: 'boolean' }, c: { type: ['string', 'null'] } }, { required: ['a'] })],
    ['bounds', closed({ a: { type: 'integer', minimum: 1, maximum: 5, description: 'How many.' } })],
    ['formats', closed({ a: { type: 'string', format: 'date' }, b: { type: 'string', format: 'regex' } })],
    [
      'lists',
      closed({ a: { type: 'array', items: text, minItems: 1 }, b: { type: 'array', items: text, minItems: 3 } }),
    ],
    ['choices', closed({ a: { enum: ['x', 'y'] }, b: { type: 'string', const: 'z' } })],
    ['unions', closed({ a: { oneOf: [text, { type: 'null' }] }, b: { anyOf: [text, closed({ c: text })] } })],
    ['definitions', { ...closed({ a: { $ref: '#/$defs/b' } }), $defs: { b: closed({ c: text }) } }],
    ['an open object with named keys', { type: 'object', properties: { a: text } }],
    ['a dialect', { $schema: 'http://json-schema.org/draft-07/schema#', ...closed({ a: text }) }],
  ])("holds %s as the SDK's own helper does (Q43)", (_name, schema) => {
    expect(outputSchema(schema)).toEqual(transformJSONSchema(schema))
  })

  it.each([
    ['keys of any name', closed({ a: { type: 'object', additionalProperties: { type: 'number' } } })],
    ['keys of a pattern', closed({ a: { type: 'object', properties: {}, patternProperties: { '^x': text } } })],
    [
      'keys of a pattern beside named ones',
      closed({ a: { type: 'object', properties: { b: text }, patternProperties: { '^x': text } } }),
    ],
    ['an object of anything', closed({ a: { type: 'object' } })],
    ['an object without a named key', closed({ a: { type: 'object', properties: {} } })],
    ['values of no type', closed({ a: { type: [] } })],
    ['choices that are objects', closed({ a: { enum: [{ b: 1 }] } })],
    ['a constant that is an object', closed({ a: { const: { b: 1 } } })],
    ['anything', closed({ a: {} })],
    ['a list of anything', closed({ a: { type: 'array' } })],
    ['what is always true', closed({ a: true })],
    ['itself', { ...closed({ a: { $ref: '#/$defs/b' } }), $defs: { b: closed({ c: { $ref: '#/$defs/b' } }) } }],
    ['its own root', closed({ a: { $ref: '#' } })],
    [
      'itself in a key with the name of a keyword',
      closed({ a: { $ref: '#/$defs/N' } }, { $defs: { N: closed({ default: { $ref: '#/$defs/N' } }) } }),
    ],
    ['another document', closed({ a: { $ref: 'https://x/y.json' } })],
    ['a union beside keys', closed({ a: { type: 'object', properties: { b: text }, anyOf: [{ required: ['b'] }] } })],
  ])('gives up a schema that holds %s: it would mean something else', (_name, schema) => {
    expect(outputSchema(schema)).toBeUndefined()
  })

  it('follows a definition once, however many ways lead to it', () => {
    const level = (index: number): object => {
      const next = { $ref: `#/$defs/d${index + 1}` }
      return index === 40 ? text : closed({ a: next, b: next })
    }
    const $defs = Object.fromEntries(Array.from({ length: 41 }, (_, index) => [`d${index}`, level(index)]))
    expect(outputSchema(closed({ a: { $ref: '#/$defs/d0' } }, { $defs }))).toBeDefined()
  })

  it('accepts an empty closed object, and a key that only looks like a reference', () => {
    expect(outputSchema(closed({}))).toEqual(closed({}))
    expect(outputSchema(closed({ a: { type: 'string', default: { $ref: '#' } } }))).toBeDefined()
  })
})
