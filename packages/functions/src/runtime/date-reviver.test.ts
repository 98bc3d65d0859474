import type { JSONSchema } from '@agentkit/core'
import { jsonSchemaValidator } from '@agentkit/core/internal'
import { expect, it } from 'vitest'
import { dateReviver } from './date-reviver.ts'

const text = '2026-01-31T10:00:00.000Z'
const date = new Date(text)
const when = { type: 'string', format: 'date-time' }
const whenOrNull = { type: ['string', 'null'], format: 'date-time' }

async function revive(schema: JSONSchema, dates: string[], value: unknown): Promise<unknown> {
  const validate = await jsonSchemaValidator(schema, 'The schema')
  return dateReviver(schema, dates, (part, place) => !validate(part, place).problems)(value)
}

it.each<[string, JSONSchema, string[], unknown, unknown]>([
  ['at the root', when, [''], text, date],
  ['of a field', { properties: { at: when } }, ['/properties/at'], { at: text, b: 1 }, { at: date, b: 1 }],
  [
    'of a field inside a field',
    { properties: { range: { properties: { from: when } } } },
    ['/properties/range/properties/from'],
    { range: { from: text } },
    { range: { from: date } },
  ],
  ['of a list', { items: when }, ['/items'], [text, text], [date, date]],
  [
    'of a tuple and what follows it',
    { prefixItems: [{ type: 'string' }, when], items: whenOrNull },
    ['/prefixItems/1', '/items'],
    [text, text, null, text],
    [text, date, null, date],
  ],
  [
    'of whatever key',
    { properties: { name: { type: 'string' } }, additionalProperties: when },
    ['/additionalProperties'],
    { name: text, at: text },
    { name: text, at: date },
  ],
  [
    'of the keys of a pattern',
    { patternProperties: { '^at': when }, additionalProperties: { type: 'string' } },
    ['/patternProperties/^at'],
    { at1: text, other: text },
    { at1: date, other: text },
  ],
  ['or null', whenOrNull, [''], null, null],
  ['that may be null', whenOrNull, [''], text, date],
  [
    'of a key with signs',
    { properties: { 'a/b~c': when } },
    ['/properties/a~1b~0c'],
    { 'a/b~c': text },
    { 'a/b~c': date },
  ],
  [
    'of a definition',
    { properties: { at: { $ref: '#/$defs/a%20b' } }, $defs: { 'a b': when } },
    ['/$defs/a b'],
    { at: text },
    { at: date },
  ],
  [
    'of a type that holds itself',
    {
      $ref: '#/$defs/Event',
      $defs: { Event: { properties: { at: when, next: { anyOf: [{ $ref: '#/$defs/Event' }, { type: 'null' }] } } } },
    },
    ['/$defs/Event/properties/at'],
    { at: text, next: { at: text, next: null } },
    { at: date, next: { at: date, next: null } },
  ],
  [
    'of a schema whose root holds itself',
    { properties: { at: when, all: { items: { $ref: '#' } } } },
    ['/properties/at'],
    { all: [{ at: text }] },
    { all: [{ at: date }] },
  ],
])('makes dates of strings %s', async (_name, schema, dates, value, expected) => {
  expect(await revive(schema, dates, value)).toEqual(expected)
})

it('lets the first member of a union that fits decide', async () => {
  const schema = {
    anyOf: [
      { type: 'object', properties: { type: { const: 'text' }, value: { type: 'string' } }, required: ['type'] },
      { type: 'object', properties: { type: { const: 'time' }, value: when }, required: ['type'] },
      { type: 'array', items: when },
      when,
      { type: 'string' },
    ],
  }
  const dates = ['/anyOf/1/properties/value', '/anyOf/2/items', '/anyOf/3']
  expect(await revive(schema, dates, { type: 'text', value: text })).toEqual({ type: 'text', value: text })
  expect(await revive(schema, dates, { type: 'time', value: text })).toEqual({ type: 'time', value: date })
  expect(await revive(schema, dates, text)).toEqual(date)
  expect(await revive(schema, dates, 'tomorrow')).toBe('tomorrow')
})

it('leaves other strings of the same form', async () => {
  const schema = { properties: { at: when, note: { type: 'string', format: 'date-time' } } }
  expect(await revive(schema, ['/properties/at'], { at: text, note: text })).toEqual({ at: date, note: text })
})

it('copies only changed objects', async () => {
  const schema = { properties: { at: when, tags: { items: { type: 'string' } }, list: { items: when } } }
  const value = { at: text, tags: ['a'], list: [] }
  const before = structuredClone(value)
  const revived = await revive(schema, ['/properties/at', '/properties/list/items'], value)
  expect(revived).toEqual({ ...value, at: date })
  expect(value).toEqual(before)
  expect(revived).toHaveProperty(
    'tags',
    expect.toSatisfy((tags) => tags === value.tags),
  )
  expect(revived).toHaveProperty(
    'list',
    expect.toSatisfy((list) => list === value.list),
  )
})

it.each(['__proto__', 'constructor'])('keeps a key "%s", and takes it for no other', async (key) => {
  const schema = { properties: { note: { type: 'string' } }, additionalProperties: when }
  const revived = await revive(
    schema,
    ['/additionalProperties'],
    JSON.parse(`{ "${key}": "${text}", "note": "${text}" }`),
  )
  expect(Object.entries(revived as object)).toEqual([
    [key, date],
    ['note', text],
  ])
})

it('refuses a time that no Date can hold', async () => {
  await expect(revive(when, [''], '2016-12-31T23:59:60Z')).rejects.toMatchObject({
    code: 'invalid-tool-call',
    message: expect.stringContaining('"2016-12-31T23:59:60Z"'),
  })
})

it('refuses a pointer that leads nowhere', async () => {
  await expect(revive({ properties: {} }, ['/properties/toString'], {})).rejects.toMatchObject({
    code: 'invalid-argument',
    message: expect.stringContaining('/properties/toString'),
  })
})
