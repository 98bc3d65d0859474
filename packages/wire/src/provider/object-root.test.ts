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

it('leaves no keyword at the root that OpenAI rejects there', () => {
  const parameters = toolParameters({ anyOf: [city, point], not: { type: 'string' }, enum: [{}], $schema: 'x' })
  expect(Object.keys(parameters).sort()).toEqual(['description', 'properties', 'required', 'type'])
})
