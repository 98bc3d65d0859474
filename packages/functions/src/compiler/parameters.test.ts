import { describe, expect, it } from 'vitest'
import { compileText } from '../__fixtures__/compile-text.ts'

describe('a parameter that is taken apart', () => {
  it('is the input, also where its type holds itself', () => {
    const text = 'interface Task { name: string; next?: Task }\nexport function plan({ name, next }: Task) {}'
    const task = {
      type: 'object',
      properties: { name: { type: 'string' }, next: { $ref: '#/$defs/Task' } },
      required: ['name'],
      additionalProperties: false,
    }
    expect(compileText(text)[0]?.compiled).toMatchObject({
      parameters: [{ whole: true }],
      inputSchema: { ...task, $defs: { Task: task } },
    })
  })

  it('has dates wherever its type holds itself', () => {
    const text = 'interface Task { at?: Date | null; next?: Task }\nexport function plan({ at = null }: Task) {}'
    expect(compileText(text)[0]?.compiled.dates).toEqual(['/properties/at', '/$defs/Task/properties/at'])
  })

  it.each<[string, string, object]>([
    ['any object', '{ constructor }: Object', { type: 'object' }],
    ['what has no fields', '{ ...rest }: {}', { type: 'object' }],
    [
      'one of several',
      "{ kind }: { kind: 'a' } | { kind: 'b' }",
      { anyOf: [{ properties: { kind: { const: 'a' } } }, { properties: { kind: { const: 'b' } } }] },
    ],
    [
      'open to other fields',
      '{ a }: { a: string; [key: string]: string }',
      { properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } },
    ],
    ['a Date', '{ getTime }: Date', { type: 'string', format: 'date-time' }],
    ['a record', '{ a }: Record<string, number>', { type: 'object', additionalProperties: { type: 'number' } }],
    ['a list', '[a]: string[]', { type: 'array', items: { type: 'string' } }],
    ['the indexes of a list', '{ 0: a }: string[]', { type: 'array', items: { type: 'string' } }],
  ])('has a name of its own where it is %s', (_name, parameter, schema) => {
    expect(compileText(`export function take(${parameter}) {}`)[0]?.compiled).toMatchObject({
      parameters: [{ name: 'options' }],
      inputSchema: { properties: { options: schema }, required: ['options'] },
    })
  })

  it.each([
    ['{ a }: { a: 1 }'],
    ['{ a }: { a: 1 } & { b: 2 }'],
    ['{ a }: { a: 1 } | undefined = {}'],
    ['{ a }: Partial<{ a: 1 }> = {}'],
    ['{ a }: { a: 1 } = {} as { a: 1 }'],
    ['{ a }: { a: 1 } = <{ a: 1 }>{}'],
  ])('is the input where it has fields: %s', (parameter) => {
    expect(compileText(`export function take(${parameter}) {}`)[0]?.compiled).toMatchObject({
      parameters: [{ whole: true }],
      inputSchema: { properties: { a: { const: 1 } } },
    })
  })

  it('is the input where it is of a type parameter whose bound has fields', () => {
    const text = 'interface Task { name: string; next?: Task }\nexport function plan<T extends Task>({ name }: T) {}'
    const { parameters, inputSchema } = compileText(text)[0]?.compiled ?? {}
    expect(parameters).toEqual([{ whole: true }])
    expect(inputSchema).toMatchObject({ properties: { name: { type: 'string' } }, required: ['name'] })
  })

  it('is refused at its line, by its name', () => {
    const text = 'export function take(\n  { length }: { (): void; length: number },\n) {}'
    expect(() => compileText(text)).toThrow(/:2: .*"options" .* is a function/)
    const field = 'export function take(\n  { a }: {\n    a: () => void\n  },\n) {}'
    expect(() => compileText(field)).toThrow(/:2: .*"a" .* is a function/)
    const second = 'export function take(\n  { a }: { a: 1 },\n  { b }: { b: 1 },\n) {}'
    expect(() => compileText(second)).toThrow(/:3: .*"options" has the name of another one/)
  })

  it('has one beside others, which none of them has', () => {
    const [compilation] = compileText('export function take(options: string, { a }: { a: 1 }) {}')
    expect(compilation?.compiled.parameters).toEqual([{ name: 'options' }, { name: 'input' }])
  })

  it('keeps a default that has fields', () => {
    const [literal, named] = compileText(`const defaults = { a: 5 }
      export function take({ a }: { a?: number } = { a: 5 }) {}
      export function keep({ a }: { a?: number } = defaults) {}`)
    expect(literal?.compiled).toMatchObject({
      parameters: [{ name: 'options' }],
      inputSchema: { properties: { options: { default: { a: 5 } } } },
    })
    expect(named?.compiled.parameters).toEqual([{ name: 'options' }])
  })

  it('has no fields but those of its type', () => {
    const [compilation] = compileText('export function take({ a, toString = String }: { a: 1 }) {}')
    expect(compilation?.compiled.inputSchema).toMatchObject({ properties: { a: { const: 1 } }, required: ['a'] })
    expect(Object.keys(compilation?.compiled.inputSchema.properties ?? {})).toEqual(['a'])
  })

  it('is not named like its fields', () => {
    const text = `/**
      * Books a table.
      * @param at When.
      * @param guests How many.
      */
     export function book(at: string, { guests }: { guests: number }) {}`
    expect(compileText(text)[0]?.compiled.parameters).toEqual([{ name: 'at' }, { name: 'options' }])
  })

  it('may omit fields that have defaults, for any field names', () => {
    const text =
      "const key = 'c'\nexport function take({ 'a-b': a = 1, 2: b = now(), [key]: c = 3, d: { e = 4 }, f = 5 }: { 'a-b': number; 2: number; c: number; d: { e: number } }) {}"
    expect(compileText(text)[0]?.compiled.inputSchema).toEqual({
      type: 'object',
      properties: {
        2: { type: 'number' },
        'a-b': { type: 'number', default: 1 },
        c: { type: 'number' },
        d: { type: 'object', properties: { e: { type: 'number', default: 4 } }, additionalProperties: false },
      },
      required: ['c', 'd'],
      additionalProperties: false,
    })
  })

  it('has the names that only comments have, in their order', () => {
    const text = `/**
      * Compares boxes.
      * @param how.strict Whether to measure.
      * @param second.width In metres.
      * @param context Who asks.
      */
     export function compare({ strict }: { strict: boolean }, exact: boolean, { width }: { width: number }) {}`
    const [compilation] = compileText(text)
    expect(compilation?.compiled.parameters).toEqual([{ name: 'how' }, { name: 'exact' }, { name: 'second' }])
  })
})

describe('a parameter', () => {
  it('is given the items of a list where the rest is taken apart', () => {
    const [named, unnamed] = compileText(`/** @param point Where. */
      export function mark(label: string, ...[latitude, longitude]: [number, number]) {}
      export function skip(...{ length }: string[]) {}`)
    expect(named?.compiled).toMatchObject({
      parameters: [{ name: 'label' }, { name: 'point', rest: true }],
      inputSchema: { required: ['label', 'point'] },
    })
    expect(unnamed?.compiled.parameters).toEqual([{ name: 'options', rest: true }])
    expect(unnamed?.compiled.inputSchema).not.toHaveProperty('required')
  })

  it.each([
    ['one: string, two?: string', ['one']],
    ['one: number = 1, two: string', ['two']],
    ['one: string | undefined, two: string', ['two']],
    ['one: unknown, two?: unknown', ['one']],
    ['...one: string[]', undefined],
    ['...one: [two: string, three?: number]', ['one']],
    ['...one: [two?: string]', undefined],
    ['...one: string[] | number[]', undefined],
  ])('is required where a caller must give it: %s', (parameters, required) => {
    const text = `/** @param one It.\n * @param two It. */\nexport function take(${parameters}) {}`
    expect(compileText(text)[0]?.compiled.inputSchema.required).toEqual(required)
  })
})

describe('a context', () => {
  const context = "import type { ToolContext } from '@agentkit/core'\n"

  it('may be described, also where it is taken apart', () => {
    const text = `${context}/**
      * Pings.
      * @param host The host.
      * @param context Who asks.
      * @param context.userId The user.
      */
      export function ping(host: string, `
    for (const parameter of ['context: ToolContext', '{ userId }: ToolContext']) {
      expect(compileText(`${text}${parameter}) {}`)[0]?.warnings).toEqual([])
    }
  })

  it.each(['signal', 'runId', 'callId', 'userId', 'cite'])('is refused without its %s, at its line', (name) => {
    const text = `${context}export function ping(\n  host: string,\n  caller: Omit<ToolContext, '${name}'>,\n) {}`
    expect(() => compileText(text)).toThrow(/:4: .*"caller" is a part of ToolContext/)
  })

  it('leaves the other parameter the input', () => {
    const [compilation] = compileText(
      `${context}export function ping({ host }: { host: string }, { userId }: ToolContext) {}`,
    )
    expect(compilation?.compiled).toMatchObject({ parameters: [{ whole: true }], contextIndex: 1 })
  })

  it('is known where its package is not found', () => {
    const text = "import type { ToolContext } from 'gone'\nexport function ping(host: string, context: ToolContext) {}"
    expect(compileText(text)[0]?.compiled).toMatchObject({ parameters: [{ name: 'host' }], contextIndex: 1 })
  })

  it('may be bound to', () => {
    const text = `${context}export function ping<Context extends ToolContext>(host: string, context: Context) {}`
    expect(compileText(text)[0]?.compiled).toMatchObject({ parameters: [{ name: 'host' }], contextIndex: 1 })
  })
})

describe('a parameter of a type parameter', () => {
  it.each([
    ['<T extends [string, number]>(...items: T)', ['items']],
    ['<T extends string[]>(...items: T)', undefined],
    ['<T extends string | undefined>(items: T)', undefined],
    ['<T extends string>(items: T)', ['items']],
  ])('is required as its bound is: %s', (signature, required) => {
    expect(compileText(`export function take${signature} {}`)[0]?.compiled.inputSchema.required).toEqual(required)
  })
})
