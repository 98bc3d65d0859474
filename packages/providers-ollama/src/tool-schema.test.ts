import { describe, expect, it } from 'vitest'
import { toolSchema } from './tool-schema.ts'

describe('the schema of a tool', () => {
  it('is left alone where Ollama understands it', () => {
    const schema = {
      type: 'object',
      properties: {
        city: { type: 'string', description: 'Where.', enum: ['Oslo', 'Rome'] },
        days: { type: 'array', items: { type: 'integer' } },
      },
      required: ['city'],
      additionalProperties: false,
    }
    expect(toolSchema(schema)).toEqual(schema)
  })

  it('describes constants, alternatives and any values with keywords that Ollama knows', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      properties: { kind: { const: 'circle' }, size: { oneOf: [{ const: 1 }, { type: 'string' }] }, rest: true },
    }
    expect(toolSchema(schema)).toEqual({
      type: 'object',
      properties: { kind: { enum: ['circle'] }, size: { anyOf: [{ enum: [1] }, { type: 'string' }] }, rest: {} },
    })
  })

  it('contains a schema whose name is encoded in the reference', () => {
    const point = { type: 'object', properties: { x: { type: 'number' } } }
    const properties = { at: { $ref: '#/definitions/Partial%3CPoint%3E' } }
    expect(toolSchema({ type: 'object', properties, definitions: { 'Partial<Point>': point } })).toEqual({
      type: 'object',
      properties: { at: point },
    })
  })

  it('contains the schemas that it refers to, and ends where it refers to itself', () => {
    const schema = {
      type: 'object',
      properties: { root: { $ref: '#/$defs/node', description: 'The first.' }, lost: { $ref: '#/$defs/lost' } },
      $defs: {
        node: {
          type: 'object',
          properties: { label: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
        },
      },
    }
    expect(toolSchema(schema)).toEqual({
      type: 'object',
      properties: {
        root: {
          type: 'object',
          description: 'The first.',
          properties: { label: { type: 'string' }, children: { type: 'array', items: { type: 'object' } } },
        },
        lost: {},
      },
    })
  })

  it('contains the references of an `allOf`, and their descriptions', () => {
    const schema = {
      allOf: [{ $ref: '#/$defs/place' }, { properties: { kind: { const: 'trip' }, rest: true } }],
      $defs: {
        place: {
          type: 'object',
          properties: { near: { allOf: [{ $ref: '#/$defs/place' }], description: 'Near it.' } },
        },
      },
    }
    expect(toolSchema(schema)).toMatchObject({
      type: 'object',
      properties: { near: { type: 'object', description: 'Near it.' }, kind: { enum: ['trip'] }, rest: {} },
    })
    expect(JSON.stringify(toolSchema(schema).properties)).not.toContain('$ref')
  })

  it('replaces references with definitions only a limited number of times', () => {
    const level = (index: number): object => {
      const next = { $ref: `#/$defs/d${index + 1}` }
      return index === 30 ? { type: 'array', items: {} } : { type: 'object', properties: { left: next, right: next } }
    }
    const $defs = Object.fromEntries(Array.from({ length: 31 }, (_, index) => [`d${index}`, level(index)]))
    const schema = { type: 'object', properties: { a: { $ref: '#/$defs/d0' }, b: { $ref: '#/$defs/d30' } }, $defs }
    const converted = toolSchema(schema)
    expect(JSON.stringify(converted).length).toBeLessThan(500_000)
    expect(converted.properties).toMatchObject({ b: { type: 'array' } })
  })

  it('may be a reference itself', () => {
    expect(
      toolSchema({ $ref: '#/$defs/input', $defs: { input: { type: 'object', properties: { a: true } } } }),
    ).toEqual({ type: 'object', properties: { a: {} } })
  })
})
