import { describe, expect, it } from 'vitest'
import { schemasOf } from '../../__fixtures__/compile-text.ts'

/** The schema of a parameter with these tags, without its description. */
function tagged(type: string, ...tags: string[]): object {
  const lines = ['@param value It.', ...tags].map((line) => ` * ${line}`)
  const { value } = schemasOf(`/**\n${lines.join('\n')}\n */\nexport function take(value: ${type}) {}`)
  const { description, ...schema } = { ...value }
  expect(description).toBe('It.')
  return schema
}

describe('a tag of a comment', () => {
  it.each<[string, string, string, object]>([
    ['a number', 'number', '@minimum 1', { type: 'number', minimum: 1 }],
    ['a number below', 'number', '@maximum -1.5e3', { type: 'number', maximum: -1500 }],
    ['a bound that is no value', 'number', '@exclusiveMinimum 0', { type: 'number', exclusiveMinimum: 0 }],
    ['a step', 'number', '@multipleOf 0.5', { type: 'number', multipleOf: 0.5 }],
    ['a count', 'string', '@maxLength 0', { type: 'string', maxLength: 0 }],
    ['a flag', 'string[]', '@uniqueItems', { type: 'array', items: { type: 'string' }, uniqueItems: true }],
    [
      'a flag that is on',
      'string[]',
      '@uniqueItems true',
      { type: 'array', items: { type: 'string' }, uniqueItems: true },
    ],
    [
      'a flag that is off',
      'string[]',
      '@uniqueItems false',
      { type: 'array', items: { type: 'string' }, uniqueItems: false },
    ],
    ['a pattern', 'string', '@pattern ^a{2}$', { type: 'string', pattern: '^a{2}$' }],
    ['text', 'string', '@title A name', { type: 'string', title: 'A name' }],
    ['a default', 'number[]', '@default [1, 2]', { type: 'array', items: { type: 'number' }, default: [1, 2] }],
    ['a default of words', 'string', '@default one two', { type: 'string', default: 'one two' }],
    ['examples', 'string', '@examples ["a", "b"]', { type: 'string', examples: ['a', 'b'] }],
    ['one example', 'string', '@examples a', { type: 'string', examples: ['a'] }],
    ['a type', 'number', '@asType integer', { type: 'integer' }],
    ['what it does not know', 'number', '@asType float', { type: 'number' }],
  ])('says %s', (_name, type, tag, schema) => {
    expect(tagged(type, tag)).toEqual(schema)
  })

  it.each<[string, string, string[], object]>([
    ['items', 'number[]', ['@integer', '@minimum 1'], { type: 'array', items: { type: 'integer', minimum: 1 } }],
    [
      'a list itself',
      'string[]',
      ['@minItems 1', '@minLength 2'],
      {
        type: 'array',
        minItems: 1,
        items: { type: 'string', minLength: 2 },
      },
    ],
    [
      'places',
      '[number, string, ...number[]]',
      ['@integer'],
      {
        type: 'array',
        prefixItems: [{ type: 'integer' }, { type: 'string' }],
        items: { type: 'integer' },
        minItems: 2,
      },
    ],
    [
      'one of several kinds',
      'string | number[] | null',
      ['@minItems 1'],
      {
        anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' }, minItems: 1 }, { type: 'null' }],
      },
    ],
    ['a number that may be null', 'number | null', ['@integer'], { type: ['integer', 'null'] }],
    [
      'an object',
      'Record<string, 1>',
      ['@minProperties 1'],
      {
        type: 'object',
        additionalProperties: { type: 'number', const: 1 },
        minProperties: 1,
      },
    ],
    ['what is already an integer', 'number', ['@integer', '@maximum 9'], { type: 'integer', maximum: 9 }],
    ['a format of numbers', 'number', ['@format int64'], { type: 'number', format: 'int64' }],
    ['anything', 'unknown', ['@integer'], { type: 'integer' }],
  ])('is said of %s', (_name, type, tags, schema) => {
    expect(tagged(type, ...tags)).toEqual(schema)
  })

  it.each<[string, string, RegExp]>([
    ['@minimum', 'number', /"value" has the tag @minimum with "", which it cannot mean/],
    ['@minimum Infinity', 'number', /cannot mean/],
    ['@multipleOf 0', 'number', /cannot mean/],
    ['@minLength -1', 'string', /cannot mean/],
    ['@uniqueItems maybe', 'string[]', /cannot mean/],
    ['@pattern (', 'string', /cannot mean/],
    ['@pattern ^[\\w-.]+$', 'string', /cannot mean as a .* with the flag "u" \(Invalid character class\)\./],
    ['@pattern', 'string', /cannot mean as a .* \(it is empty\)\./],
    ['@format', 'string', /cannot mean/],
    ['@integer', 'string', /"value" is tagged @integer, and is no number/],
    ['@minimum 1', 'string[]', /is tagged @minimum, and is no number/],
    ['@minLength 1', 'number | boolean', /is tagged @minLength, and is no string/],
    ['@minItems 1', '{ list: string[] }', /is tagged @minItems, and is no array/],
    ['@format date', 'boolean', /is tagged @format, and is no string or number/],
    ['@integer', 'Tree', /is tagged @integer, and is no number/],
  ])('is refused: %s of %s', (tag, type, message) => {
    const tree = 'interface Tree { of: Tree[] }'
    expect(() =>
      schemasOf(`${tree}\n/** @param value It.\n * ${tag} */\nexport function take(value: ${type}) {}`),
    ).toThrow(message)
  })

  it('keeps a Date a date', () => {
    const text = '/** @param days The days.\n * @format date */\nexport function take(days: Date[]) {}'
    expect(schemasOf(text).days).toMatchObject({ items: { type: 'string', format: 'date' } })
  })
})
