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

  it('says constants, alternatives and anything in words that Ollama knows', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      properties: { kind: { const: 'circle' }, size: { oneOf: [{ const: 1 }, { type: 'string' }] }, rest: true },
    }
    expect(toolSchema(schema)).toEqual({
      type: 'object',
      properties: { kind: { enum: ['circle'] }, size: { anyOf: [{ enum: [1] }, { type: 'string' }] }, rest: {} },
    })
  })

  it('holds what it refers to, and ends where it refers to itself', () => {
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

  it('may be a reference itself', () => {
    expect(
      toolSchema({ $ref: '#/$defs/input', $defs: { input: { type: 'object', properties: { a: true } } } }),
    ).toEqual({ type: 'object', properties: { a: {} } })
  })
})
