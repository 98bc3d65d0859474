import { describe, expect, it } from 'vitest'
import { schemasOf } from '../../__fixtures__/compile-text.ts'
import { temporaryApp } from '../../__fixtures__/temporary-app.ts'
import { compileFunction } from '../compile-function.ts'
import { findFunctions } from '../find/find-functions.ts'
import { openProject } from '../project/project.ts'

const types = `/** @integer */ type Port = number
  /** How urgent it is. */ type Priority = 'low' | 'high'
  /** @minimum 1 */ type Door = Port
  /** A place. */ interface Place { x: number }
  /** A size. */ enum Size { Small = 's', Large = 'l' }
  type Dictionary<_Note, Value> = { [Key in string]: Value }
  type Flags<T> = { [Key in keyof T]: boolean }
  interface Server { /** Where. @minimum 1 */ port: Port; doors?: Port[] }
  class Machine { port: Port = 1 }
  import type { Port as Own } from './written.ts'
  export type { Port }`
const place = { type: 'object', properties: { x: { type: 'number' } }, required: ['x'], additionalProperties: false }
const low = { enum: ['low', 'high'] }

describe('annotations of a named type', () => {
  it.each<[string, object]>([
    ['Port', { type: 'integer' }],
    ['(Port)', { type: 'integer' }],
    ['Own', { type: 'integer' }],
    ['Door', { type: 'integer', minimum: 1 }],
    ['Port | null', { type: ['integer', 'null'] }],
    ["Port | 'auto'", { anyOf: [{ type: 'integer' }, { type: 'string', const: 'auto' }] }],
    ['Priority', { type: 'string', ...low, description: 'How urgent it is.' }],
    ['Priority | undefined', { type: 'string', ...low, description: 'How urgent it is.' }],
    ['(Priority | null)', { type: ['string', 'null'], enum: ['low', 'high', null], description: 'How urgent it is.' }],
    ["Priority | 'none'", { type: 'string', enum: ['low', 'high', 'none'] }],
    ['null | undefined', { type: 'null' }],
    ['Place', { ...place, description: 'A place.' }],
    ['Place | null', { anyOf: [{ ...place, description: 'A place.' }, { type: 'null' }], description: 'A place.' }],
    ['Size', { type: 'string', enum: ['s', 'l'], description: 'A size.' }],
    ['Port[]', { type: 'array', items: { type: 'integer' } }],
    ['readonly Port[]', { type: 'array', items: { type: 'integer' } }],
    ['(Port)[]', { type: 'array', items: { type: 'integer' } }],
    ['(Port[])', { type: 'array', items: { type: 'integer' } }],
    ['Array<Port>', { type: 'array', items: { type: 'integer' } }],
    ['Port[] | undefined', { type: 'array', items: { type: 'integer' } }],
    ['[Port, number]', { prefixItems: [{ type: 'integer' }, { type: 'number' }] }],
    ['readonly [Port]', { prefixItems: [{ type: 'integer' }] }],
    ['[at: Port]', { prefixItems: [{ type: 'integer' }] }],
    ['[Port?]', { prefixItems: [{ type: 'integer' }] }],
    ['[at?: Port]', { prefixItems: [{ type: 'integer' }] }],
    ['[at: Port[]]', { prefixItems: [{ type: 'array', items: { type: 'integer' } }] }],
    ['[Port[], ...Port[]]', { prefixItems: [{ items: { type: 'integer' } }], items: { type: 'integer' } }],
    ['[string, ...more: Port[]]', { items: { type: 'integer' } }],
    ['[...[number, number], Port]', { prefixItems: [{ type: 'number' }, { type: 'number' }, { type: 'number' }] }],
    ['Record<string, Port>', { type: 'object', additionalProperties: { type: 'integer' } }],
    ['{ [name: string]: Port }', { type: 'object', additionalProperties: { type: 'integer' } }],
    ['{ [Name in string]: Port }', { type: 'object', additionalProperties: { type: 'integer' } }],
    ['Dictionary<Port, number>', { type: 'object', additionalProperties: { type: 'number' } }],
    ['Dictionary<number, Port>', { type: 'object', additionalProperties: { type: 'number' } }],
    ["Pick<Machine, 'port'>", { properties: { port: { type: 'integer' } } }],
    [
      'Partial<Server>',
      {
        properties: {
          port: { type: 'integer', minimum: 1, description: 'Where.' },
          doors: { type: 'array', items: { type: 'integer' } },
        },
      },
    ],
    ['Flags<Server>', { properties: { port: { type: 'boolean', description: 'Where.' }, doors: { type: 'boolean' } } }],
    [
      "Partial<Record<'a', number>>",
      { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: false },
    ],
  ])('holds in %s', (type, schema) => {
    const { value } = schemasOf(`${types}\nexport function take(value: ${type}) {}`)
    expect(value).toMatchObject(schema)
    expect(value?.description).toBe('description' in schema ? schema.description : undefined)
  })

  it('holds where it may be left out', () => {
    const { ports } = schemasOf(`${types}\nexport function take(ports?: Port[]) {}`)
    expect(ports).toEqual({ type: 'array', items: { type: 'integer' } })
  })

  it('holds in JavaScript', () => {
    const text = `/** @typedef {string} City The name of a city. */
      /** @typedef {object} Trip
       * @property {City} from
       * @property {string} [to] Where it ends.
       */
      /** @param {Trip} trip */
      export function book(trip) {}`
    expect(schemasOf(text, { file: 'written.js' }).trip).toMatchObject({
      properties: { from: { description: 'The name of a city.' }, to: { description: 'Where it ends.' } },
      required: ['from'],
    })
  })
})

describe('a comment of a field', () => {
  it.each<[string, Record<string, string | undefined>]>([
    ['{\n  /** The a. */\n  a: string\n  /** The b. */\n  b: string\n}', { a: 'The a.', b: 'The b.' }],
    ['{ /** The a. */ a: string; /** The b. */ b: string }', { a: 'The a.', b: 'The b.' }],
    ['{ a: string, /** The a. */\n  b: string }', { a: undefined, b: undefined }],
    ['{ /* No. */ a: string; // No.\n b: string }', { a: undefined, b: undefined }],
    ['{ /** First. */ /** The a. */ a: string; b: string }', { a: 'The a.', b: undefined }],
  ])('is that before it: %s', (type, descriptions) => {
    const { value } = schemasOf(`export function take(value: ${type}) {}`)
    const fields = Object.entries(value?.properties ?? {})
    expect(Object.fromEntries(fields.map(([name, { description }]) => [name, description]))).toEqual(descriptions)
  })

  it('describes the nested values of any type', () => {
    const text = `/** @param lists Anything.\n * @param pairs Anything.\n * @param records Anything. */
      export function take(lists: unknown[], pairs: [any], records: Record<string, any>, open: Record<string, unknown>) {}`
    expect(schemasOf(text)).toMatchObject({
      lists: { items: {} },
      pairs: { prefixItems: [{}] },
      records: { additionalProperties: {} },
      open: { additionalProperties: {} },
    })
    expect(() => schemasOf('export function take(records: Record<string, any>) {}')).toThrow(/"records\.\*" \(any\)/)
    expect(() => schemasOf('export function take(lists: unknown[]) {}')).toThrow(/"lists\[\]" \(unknown\)/)
  })
})

describe("annotations of a package's type", () => {
  it('is the description of a type with a name, not of one that changes other types', () => {
    using app = temporaryApp({
      'node_modules/helpers/package.json': '{ "name": "helpers", "types": "index.d.ts" }',
      'node_modules/helpers/index.d.ts': `/** Create a type with optional keys. */
        export type Loose<T> = { [K in keyof T]?: T[K] }
        /** A currency. */ export type Currency = 'EUR' | 'USD'`,
      'pay.ts': `import type { Currency, Loose } from 'helpers'
        /** An invoice. */ type Invoice = Loose<{ id: string }>
        export function pay(loose: Loose<{ id: string }>, several: Loose<{ id: string }>[], invoice: Invoice,
          currency: Currency) {}`,
    })
    const project = openProject([app.path('pay.ts')], { lib: 'small' })
    const [pay] = findFunctions(project.ts, project.sourceFile(app.path('pay.ts')))
    const { compiled, warnings } = compileFunction(pay as NonNullable<typeof pay>, project)
    const order = { type: 'object', properties: { id: { type: 'string' } }, additionalProperties: false }
    expect(compiled.inputSchema.properties).toEqual({
      loose: order,
      several: { type: 'array', items: order },
      invoice: { ...order, description: 'An invoice.' },
      currency: { type: 'string', enum: ['EUR', 'USD'], description: 'A currency.' },
    })
    expect(warnings).toContainEqual(expect.stringContaining('does not say what "loose" is'))
  })
})
