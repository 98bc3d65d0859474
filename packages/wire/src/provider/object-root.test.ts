import { expect, it } from 'vitest'
import { toolParameters } from '../openai/strict-schema.ts'
import { objectRoot } from './object-root.ts'

const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const point = { type: 'object', properties: { city: { type: 'number' }, at: {} }, required: ['city', 'at'] }

it('leaves an object unchanged', () => {
  expect(objectRoot(city)).toBe(city)
})

it.each(['anyOf', 'oneOf'])('makes one object of %s that requires the keys that all variants require', (union) => {
  expect(objectRoot({ description: 'Where.', [union]: [city, point] })).toEqual({
    description: `Where.\n\n{${union}: ${JSON.stringify([city, point])}}`,
    properties: { city: { anyOf: [{ type: 'string' }, { type: 'number' }] }, at: {} },
    required: ['city'],
  })
})

it('requires all of allOf, and follows references', () => {
  const schema = { allOf: [{ $ref: '#/$defs/point' }, { required: ['b'] }], required: ['a'], $defs: { point } }
  expect(objectRoot(schema)).toMatchObject({ properties: point.properties, required: ['a', 'city', 'at', 'b'] })
  expect(objectRoot({ $ref: '#/$defs/point', $defs: { point } })).toMatchObject(point)
  expect(objectRoot({ $ref: '#/elsewhere' })).toEqual({ $ref: '#/elsewhere' })
})

it.each([
  ['to another reference', '#/definitions/args', { args: { $ref: '#/definitions/point' }, point }],
  ['to an encoded name', '#/definitions/Partial%3Cpoint%3E', { 'Partial<point>': point }],
  ['to a name with signs of a path', '#/definitions/a~1b~0c', { 'a/b~c': point }],
])('follows a reference %s', (_name, $ref, definitions) => {
  expect(objectRoot({ $ref, definitions })).toEqual({ ...point, definitions })
})

it('ends where references lead in a circle or nowhere', () => {
  const definitions = {
    a: { $ref: '#/definitions/b' },
    b: { $ref: '#/definitions/a' },
    c: { $ref: '#/definitions/%zz' },
  }
  for (const $ref of ['#/definitions/a', '#/definitions/c'])
    expect(toolParameters({ $ref, definitions })).toMatchObject({ type: 'object', properties: {} })
})

it('leaves no keyword at the root that OpenAI rejects there', () => {
  const parameters = toolParameters({ anyOf: [city, point], not: { type: 'string' }, enum: [{}], $schema: 'x' })
  expect(Object.keys(parameters).sort()).toEqual(['description', 'properties', 'required', 'type'])
})
