import { describe, expect, it } from 'vitest'
import { PartialCall } from './partial-call.ts'

function argumentsOf(...partialArgs: object[][]): unknown {
  const call = new PartialCall()
  for (const parts of partialArgs) call.add({ partialArgs: parts })
  return JSON.parse(call.argumentsText)
}

describe('arguments that come in pieces (Q68)', () => {
  it('are inserted at their paths', () => {
    expect(
      argumentsOf(
        [{ jsonPath: '$.name', stringValue: 'a' }],
        [
          { jsonPath: '$.count', numberValue: 2 },
          { jsonPath: '$.on', boolValue: false },
        ],
        [{ jsonPath: '$.none', nullValue: 'NULL_VALUE' }],
        [
          { jsonPath: '$.places[0].city', stringValue: 'Rome' },
          { jsonPath: '$.places[1].city', stringValue: 'Oslo' },
        ],
        [{ jsonPath: "$['first name']", stringValue: 'b' }],
      ),
    ).toEqual({
      name: 'a',
      count: 2,
      on: false,
      none: null,
      places: [{ city: 'Rome' }, { city: 'Oslo' }],
      'first name': 'b',
    })
  })

  it('append to a text that continues, and replace one that does not', () => {
    const going = { jsonPath: '$.text', stringValue: 'one ', willContinue: true }
    expect(argumentsOf([going], [{ jsonPath: '$.text', stringValue: 'two' }])).toEqual({ text: 'one two' })
    expect(argumentsOf([{ ...going, willContinue: false }], [{ jsonPath: '$.text', stringValue: 'two' }])).toEqual({
      text: 'two',
    })
  })

  it('are added to those that came whole', () => {
    const call = new PartialCall()
    call.add({ id: '1', name: 'add', args: { a: 1 } })
    call.add({ partialArgs: [{ jsonPath: '$.b', numberValue: 2 }] })
    expect(call).toMatchObject({ id: '1', name: 'add', argumentsText: '{"a":1,"b":2}' })
  })

  it('are only data, for any name in their path', () => {
    const call = new PartialCall()
    call.add({
      partialArgs: [{ jsonPath: '$.__proto__.polluted', boolValue: true }, { jsonPath: '$.list[4000000000]' }, null],
    })
    call.add({ partialArgs: [{ jsonPath: '$.list[4000000000]', numberValue: 1 }] })
    expect(call.argumentsText).toBe('{"__proto__":{"polluted":true},"list":[]}')
    expect({}).not.toHaveProperty('polluted')
  })

  it('change no prototype from within a list or an object', () => {
    const call = new PartialCall()
    call.add({ args: { inner: {} } })
    call.add({
      partialArgs: [
        { jsonPath: '$.list[0]', stringValue: 'a' },
        { jsonPath: '$.list.__proto__[0]', stringValue: 'b' },
        { jsonPath: '$.list.__proto__.__proto__.polluted', boolValue: true },
        { jsonPath: '$.inner.__proto__.polluted', boolValue: true },
        { jsonPath: '$.inner.constructor.name', stringValue: 'c' },
      ],
    })
    expect([Object.hasOwn(Array.prototype, 0), Object.hasOwn(Object.prototype, 'polluted')]).toEqual([false, false])
    expect(call.argumentsText).toBe('{"inner":{"__proto__":{"polluted":true},"constructor":{"name":"c"}},"list":["a"]}')
  })
})

describe('arguments that are no object', () => {
  it.each([
    ['the JSON text of one', '{"a":1}', '{"a":1}'],
    ['text that is no JSON', '{"a":', '{"a":'],
    ['a list', [1, 2], '[1,2]'],
    ['a number', 0, '0'],
    ['an empty text', '', '{}'],
    ['null', null, '{}'],
  ])('are kept: %s', (_, args, argumentsText) => {
    const call = new PartialCall()
    call.add({ name: 'a', args })
    expect(call.argumentsText).toBe(argumentsText)
  })
})
