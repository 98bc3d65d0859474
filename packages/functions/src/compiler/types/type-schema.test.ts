import { join } from 'node:path'
import { jsonSchemaValidator } from '@agentkit/core/internal'
import { describe, expect, it } from 'vitest'
import { compileText, schemasOf } from '../../__fixtures__/compile-text.ts'
import { type TypeCase, typeCases } from '../../__fixtures__/type-cases.ts'
import { createCompilerHost } from '../project/compiler-host.ts'
import { loadTsMorph } from '../scope/load-ts-morph.ts'

/** Each case as a namespace, and a function that takes its type. */
const text = typeCases
  .map(([type, declarations, fits, doesNot], index) => {
    const taken = fits.map((value, at) => `export const fits${at}: Type = ${value}`)
    const refused = doesNot.map((value, at) => `// @ts-expect-error\nexport const doesNot${at}: Type = ${value}`)
    const lines = [declarations, `export type Type = ${type}`, ...taken, ...refused]
    return `namespace Case${index} {\n${lines.join('\n')}\n}\nexport const take${index} = (value: Case${index}.Type) => {}`
  })
  .join('\n')

describe('a schema accepts the values that TypeScript accepts', () => {
  const compilations = compileText(text)

  it.each(typeCases.map((each, index) => [each[0], index] as const))('for %s', async (_type, index) => {
    const validate = await jsonSchemaValidator(compilations[index]?.compiled.inputSchema ?? {}, 'take')
    const isTaken = (value: string): boolean => !validate({ value: JSON.parse(value) }).problems
    const [, , fits, doesNot] = typeCases[index] as TypeCase
    expect(fits.filter((value) => !isTaken(value))).toEqual([])
    expect(doesNot.filter(isTaken)).toEqual([])
  })

  it('as TypeScript itself reports', () => {
    const tsMorph = loadTsMorph()
    const { ts } = tsMorph
    const path = join(import.meta.dirname, 'cases.ts')
    const options = { strict: true, exactOptionalPropertyTypes: true, target: ts.ScriptTarget.ESNext, types: [] }
    const host = createCompilerHost(tsMorph, options, new Map([[path, text]]))
    const problems = ts.getPreEmitDiagnostics(ts.createProgram([path], options, host))
    expect(problems.map(({ start = 0, messageText }) => [text.slice(start).split('\n', 2), messageText])).toEqual([])
  })
})

describe('a schema', () => {
  it.each<[string, string, string, object]>([
    ['lists branded literals together', "('a' | 'b') & { __brand: 'x' }", '', { type: 'string', enum: ['a', 'b'] }],
    ['has a branded boolean as one', "boolean & { __brand: 'x' }", '', { type: 'boolean' }],
    [
      'lists once what is the same to JSON',
      '(UserId | OrderId)[]',
      "type UserId = string & { __brand: 'user' }; type OrderId = string & { __brand: 'order' }",
      { type: 'array', items: { type: 'string' } },
    ],
    ['takes any object for {}', '{}', '', { type: 'object' }],
    [
      'has no symbols as keys',
      '{ [key: symbol]: string; a: null }',
      '',
      { type: 'object', properties: { a: { type: 'null' } }, required: ['a'], additionalProperties: false },
    ],
    [
      'has optional fields of any type',
      '{ /** Any. */ a?: unknown; /** Any. */ b?: any }',
      '',
      {
        type: 'object',
        properties: { a: { description: 'Any.' }, b: { description: 'Any.' } },
        additionalProperties: false,
      },
    ],
    [
      'has the values of a pattern for all keys where there is one',
      'Record<Lowercase<string>, 1>',
      '',
      {
        type: 'object',
        propertyNames: { pattern: '^\\P{Lu}*$' },
        additionalProperties: { type: 'number', const: 1 },
      },
    ],
    [
      'knows a Date only of the language',
      'Date',
      'type Date = { year: number }',
      {
        type: 'object',
        properties: { year: { type: 'number' } },
        required: ['year'],
        additionalProperties: false,
      },
    ],
    ['keeps the order of negative numbers', '-1 | 0 | 1', '', { type: 'number', enum: [-1, 0, 1] }],
  ])('%s', (_name, type, declarations, schema) => {
    expect(schemasOf(`export {}\n${declarations}\nexport function take(value: ${type}) {}`).value).toEqual(schema)
  })
})

it('takes any object where the default is an empty one', () => {
  expect(schemasOf('export function take(value = {}) {}').value).toEqual({ type: 'object', default: {} })
})

describe('a type parameter', () => {
  it.each<[string, string, object]>([
    [
      'takes items of its bound',
      '<T extends string[]>(value: [number, ...T])',
      {
        type: 'array',
        prefixItems: [{ type: 'number' }],
        items: { type: 'string' },
        minItems: 1,
      },
    ],
    [
      'takes the places of its bound',
      '<T extends [string]>(value: [number, ...T])',
      {
        type: 'array',
        prefixItems: [{ type: 'number' }, { type: 'string' }],
        items: false,
        minItems: 2,
        maxItems: 2,
      },
    ],
    ['is its bound under a brand', '<T extends string>(value: T & { __brand: 1 })', { type: 'string' }],
    [
      'is its bound in an intersection',
      '<T extends { a: 1 }>(value: T & { b: 2 })',
      {
        type: 'object',
        properties: { a: { type: 'number', const: 1 }, b: { type: 'number', const: 2 } },
        required: ['a', 'b'],
        additionalProperties: false,
      },
    ],
    ['is any object where it may not be null', '<T extends {}>(value: T)', { type: 'object' }],
  ])('%s', (_name, signature, schema) => {
    expect(schemasOf(`export function take${signature} {}`).value).toEqual(schema)
  })
})

describe('a type that JSON Schema cannot express', () => {
  it.each<[string, string, string, RegExp]>([
    ['items after a rest', '[...string[], number]', '', /"value" .* has items after its \.\.\./],
    ['an enum of computed values', 'Size', "enum Size { Small = 'x'.length, Large = 3 }", /\(Size.Small\) is an enum/],
    ['what two types exclude', "{ a: 'x' } & { a: 'y' }", '', /has no value that could be passed/],
    ['a field that cannot be', '{ a: never }', '', /"value\.a" \(never\) has no value/],
    ['a Date with more', 'Date & { zone: string }', '', /is an instance of a class/],
    ['a list with more', 'string[] & { 0: string }', '', /is an instance of a class/],
    ['what is iterated', 'Rows', 'interface Rows extends Iterable<string> { size: number }', /Rows\) is an instance/],
    ['an interface of the language without methods', 'Error', '', /Error\) is an instance.* take the message/],
    ['a list of the language', 'RegExpMatchArray', '', /is an instance.* take the data it is made of/],
    ['bytes', 'BigUint64Array', '', /is an instance.* take a base64 string/],
    ['what is constructed', '{ new (): string }', '', /is a function/],
  ])('is refused: %s', (_name, type, declarations, message) => {
    expect(() => compileText(`${declarations}\nexport function take(value: ${type}) {}`)).toThrow(message)
  })

  it.each<[string, string, RegExp]>([
    [
      'keys that a caller would choose',
      '<Key extends string>(value: Record<Key, number>)',
      /has the keys of a type parameter/,
    ],
    ['a type parameter without a bound', '<T>(value: T[])', /"value\[\]" \(T\) is a type parameter.*<T extends …>/],
    ['one that is bound to anything', '<T extends unknown>(value: T)', /is a type parameter without a bound/],
    ['keys of one without a bound', '<T>(value: keyof T)', /is a type parameter without a bound/],
  ])('is refused: %s', (_name, signature, message) => {
    expect(() => compileText(`export function take${signature} {}`)).toThrow(message)
  })
})

it.each([
  'Gone',
  'Record<Gone, number>',
  'Partial<Record<Gone, Date>>',
  '{ [Key in Gone]: string }',
  `\`to-\${Gone}\``,
  'keyof Gone',
  "{ list: (import('gone').Gone | string)[] }",
])('refuses what is made of a type that is not found: %s', (type) => {
  const text = `import type { Gone } from 'gone'\nexport function take(value: ${type}) {}`
  expect(() => compileText(text)).toThrow(
    /the type of parameter "value[^"]*" \(.*Gone\) is not found\. Check its import/,
  )
})
