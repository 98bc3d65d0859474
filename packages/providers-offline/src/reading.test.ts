import { describe, expect, it } from 'vitest'
import { satisfies } from './check-value.ts'
import { findDates, findTimes } from './dates.ts'
import { findExpression } from './find-expression.ts'
import { findSpans } from './find-spans.ts'
import { findTimeZone, unitName } from './known-names.ts'
import { findNumbers } from './numbers.ts'
import { contentStems, stem } from './tokens.ts'

/** A Tuesday. */
const today = new Date(2026, 1, 10)

describe('stem', () => {
  it.each([
    ['calculator', 'calculate'],
    ['translations', 'translate'],
    ['conversion', 'convert'],
    ['cities', 'city'],
    ['booking', 'book'],
    ['stopped', 'stop'],
    ['people', 'person'],
  ])('takes %s and %s for the same word', (a, b) => {
    expect(stem(a)).toBe(stem(b))
  })

  it('keeps a sender apart from sending', () => {
    expect(stem('sender')).not.toBe(stem('send'))
  })

  it('splits names', () => {
    expect(contentStems('getTransactionReceipt user_id')).toEqual(['transact', 'receipt', 'user', 'id'])
  })
})

describe('findNumbers', () => {
  it.each([
    ['1,250.50 and -3', [1250.5, -3]],
    ['10 - 3', [10, 3]],
    ['minus 4 and .5', [-4, 0.5]],
    ['2.5 million, 5k, 5km', [2_500_000, 5000, 5]],
    ['twenty-five of two dozen', [25, 24]],
    ['v2.0 and A12', []],
  ])('reads "%s"', (text, values) => {
    expect(findNumbers(text).map(({ value }) => value)).toEqual(values)
  })
})

describe('findDates', () => {
  it.each([
    ['2026-03-05', '2026-03-05'],
    ['March 5th, 2027', '2027-03-05'],
    ['5 Mar', '2026-03-05'],
    ['3 January', '2027-01-03'],
    ['25/12/2026', '2026-12-25'],
    ['tomorrow', '2026-02-11'],
    ['on Friday', '2026-02-13'],
    ['in two weeks', '2026-02-24'],
  ])('reads "%s" as %s', (text, day) => {
    expect(findDates(text, today).map(({ iso }) => iso)).toEqual([day])
  })

  it.each(['03/04/2026', '2026-02-30', 'you may go', 'play Yesterday again'])('reads no day in "%s"', (text) => {
    expect(findDates(text, today)).toEqual([])
  })
})

describe('findTimes', () => {
  it.each([
    ['7pm', '19:00'],
    ['12:05 am', '00:05'],
    ['19:30', '19:30'],
    ['noon', '12:00'],
  ])('reads "%s" as %s', (text, clock) => {
    expect(findTimes(text).map((time) => time.clock)).toEqual([clock])
  })

  it.each(['3.50', '25:00', '7'])('reads no time in "%s"', (text) => {
    expect(findTimes(text)).toEqual([])
  })
})

describe('findExpression', () => {
  it.each([
    ['What is 12 * (3 + 4)?', '12 * (3 + 4)'],
    ['15% of 240', '15 / 100 * 240'],
    ['7 times 6 plus 2', '7 * 6 + 2'],
  ])('reads "%s"', (text, expression) => {
    expect(findExpression(text)?.expression).toBe(expression)
  })

  it('takes no date for one', () => {
    expect(findExpression('on 2026-03-05')).toBeUndefined()
  })
})

describe('findSpans', () => {
  it.each([
    ['quoted', 'say "good morning" now', 'good morning'],
    ['url', 'open https://example.com/a?b=1.', 'https://example.com/a?b=1'],
    ['email', 'to ada@example.com, please', 'ada@example.com'],
    ['uuid', 'id 123e4567-e89b-12d3-a456-426614174000', '123e4567-e89b-12d3-a456-426614174000'],
    ['hex', 'hash 0xAbC1', '0xAbC1'],
    ['ip', 'host 10.0.0.1', '10.0.0.1'],
    ['phone', 'call +44 7700 900123 now', '+44 7700 900123'],
    ['path', 'read src/app.ts', 'src/app.ts'],
    ['code', 'order ORD-778', 'ORD-778'],
    ['name', 'weather in New York today', 'New York'],
  ])('finds a %s', (kind, text, value) => {
    expect(
      findSpans(text, today)
        .filter((span) => span.kind === kind)
        .map((span) => span.text),
    ).toEqual([value])
  })

  it('finds currencies by code, word and sign', () => {
    const codes = findSpans('$5, 6 euros and GBP', today).flatMap(({ code }) => code ?? [])
    expect(codes).toEqual(['USD', 'EUR', 'GBP'])
  })
})

describe('known names', () => {
  it('finds a time zone by its city', () => {
    expect(findTimeZone('time in new york please')?.zone).toBe('America/New_York')
  })

  it('takes spellings of a unit for one', () => {
    expect([unitName('km'), unitName('Kilometres'), unitName('kilometer')]).toEqual([
      'kilometer',
      'kilometer',
      'kilometer',
    ])
  })
})

describe('satisfies', () => {
  it.each([
    [5, { type: 'integer', minimum: 5, maximum: 9 }],
    [0.3, { multipleOf: 0.1 }],
    ['2026-03-05', { format: 'date' }],
    ['a', { enum: ['a', 1] }],
    [null, { type: ['string', 'null'] }],
    [[1], { items: { type: 'number' }, minItems: 1 }],
    [{ a: 1 }, { properties: { a: { const: 1 } }, required: ['a'], additionalProperties: false }],
    ['x', { anyOf: [{ type: 'number' }, { type: 'string' }] }],
  ])('accepts %j for %j', (value, schema) => {
    expect(satisfies(value, schema)).toBe(true)
  })

  it.each([
    [4, { minimum: 5 }],
    [5, { exclusiveMaximum: 5 }],
    [1.5, { type: 'integer' }],
    ['abc', { pattern: '^\\d+$' }],
    ['abc', { pattern: '(' }],
    ['a b', { format: 'email' }],
    ['abc', { maxLength: 2 }],
    [['a', 'a'], { uniqueItems: true }],
    [{}, { required: ['a'] }],
    [{ b: 1 }, { properties: {}, additionalProperties: false }],
    [true, { oneOf: [{ type: 'number' }] }],
  ])('refuses %j for %j', (value, schema) => {
    expect(satisfies(value, schema)).toBe(false)
  })
})
