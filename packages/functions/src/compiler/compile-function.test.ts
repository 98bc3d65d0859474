import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compileText as compile, schemasOf as schemaOf } from '../__fixtures__/compile-text.ts'
import { compileFunction } from './compile-function.ts'
import { type FoundFunction, findFunctions } from './find/find-functions.ts'
import { openProject } from './project/project.ts'

describe('a compiled function', () => {
  it('has its comment as description, and its return value', () => {
    const [compilation] = compile(`/**
      * Fetches a page
      * of the web.
      * @param url Its address.
      * @returns Its text.
      */
     export async function fetchPage(url: string) { return url }`)
    expect(compilation).toEqual({
      compiled: {
        name: 'fetchPage',
        description: 'Fetches a page of the web.\n\nReturns: Its text.',
        inputSchema: {
          type: 'object',
          properties: { url: { type: 'string', description: 'Its address.' } },
          required: ['url'],
          additionalProperties: false,
        },
        parameters: [{ name: 'url' }],
      },
      warnings: [],
    })
  })

  it.each<[string, string, RegExp]>([
    ['without a description', 'export function ping() {}', /written\.ts:1: ping has no description/],
    [
      'with a parameter that has no description',
      '/** Pings. */\nexport function ping(host: string) {}',
      /:2: ping does not say what "host" is/,
    ],
    [
      'with a comment of a parameter that there is not',
      '/** Pings.\n * @param hots The host. */\nexport function ping() {}',
      /describes "hots", which is none of its parameters/,
    ],
    [
      'with a comment of a field that there is not',
      '/** Pings.\n * @param to Where.\n * @param to.hots The host. */\nexport function ping(to: { host: string }) {}',
      /describes "to.hots", which is none of its parameters/,
    ],
    [
      'with a name that some models refuse',
      '/** Pings.\n * @param größe How large. */\nexport function ping(größe: number) {}',
      /has a parameter "größe", and some models/,
    ],
  ])('warns of one %s', (_name, text, warning) => {
    expect(compile(text)[0]?.warnings).toEqual([expect.stringMatching(warning)])
  })

  it('keeps a sentence with an @ in it', () => {
    const [compilation] = compile(`/**
      * Mails @ada about it, or ada@example.com.
      * @param text What to tell @ada@example.org, in short. @minLength 1
      */
     export function mail(text: string) {}`)
    expect(compilation?.compiled.description).toBe('Mails @ada about it, or ada@example.com.')
    expect(compilation?.compiled.inputSchema.properties).toEqual({
      text: { type: 'string', minLength: 1, description: 'What to tell @ada@example.org, in short.' },
    })
  })

  it('may describe fields by a name that only the comment has', () => {
    const text =
      '/**\n * Pings.\n * @param how.host The host.\n */\nexport function ping({ host }: { host: string }) {}'
    expect(compile(text)[0]).toMatchObject({
      compiled: { inputSchema: { properties: { host: { description: 'The host.' } } } },
      warnings: [],
    })
  })

  it('is described on the line of a brace, too', () => {
    const text = 'export class Lamp { /** Switches it. */ set(/** On or off. */ on: boolean) {} }'
    expect(compile(text)[0]).toMatchObject({ compiled: { description: 'Switches it.' }, warnings: [] })
  })

  it('has the tags of fields behind them', () => {
    const text = `/**
      * Waits.
      * @param options How.
      * @param options.days How many.
      * @integer
      * @param options.rooms[].name The name.
      * @minLength 1
      */
     export function wait(options: { days: number; rooms: { name: string }[] }) {}`
    expect(schemaOf(text).options?.properties).toMatchObject({
      days: { type: 'integer' },
      rooms: { items: { properties: { name: { minLength: 1, description: 'The name.' } } } },
    })
  })

  it('has the tags of fields behind them in JavaScript', () => {
    const text = `/**
      * Waits.
      * @param {object} options How.
      * @param {string} options.room Where.
      * @param {number} options.days How many.
      * @integer
      */
     export function wait(options) {}`
    const number = { type: 'integer', description: 'How many.' }
    expect(schemaOf(text, { file: 'written.js' }).options?.properties).toMatchObject({ days: number })
  })

  it('needs no words for an object whose fields have them', () => {
    const text =
      '/**\n * Pings.\n * @param options.host The host.\n */\nexport function ping(options: { host: string }) {}'
    expect(compile(text)[0]?.warnings).toEqual([])
  })

  it('may be described by tags', () => {
    const text = '/**\n * @summary Pings.\n * @description Once.\n * @desc Now.\n */\nexport function ping() {}'
    expect(compile(text)[0]?.compiled.description).toBe('Pings.\n\nOnce.\n\nNow.')
  })

  it('takes types of a module by its name', () => {
    const text =
      "import type * as self from './written.ts'\nexport type Size = 'm' | 's'\nexport function take(value: self.Size) {}"
    expect(schemaOf(text)).toEqual({ value: { type: 'string', enum: ['m', 's'] } })
  })

  it('accepts `any` only where a comment describes it', () => {
    expect(schemaOf('/** @param data Anything. */\nexport function keep(data: any) {}')).toEqual({
      data: { description: 'Anything.' },
    })
    const text = '/** @param env What is set. */\nexport function keep(env: NodeJS.Platform) {}'
    expect(schemaOf(text).env?.enum).toContain('linux')
  })

  it('takes the keys of the bound of a type parameter', () => {
    const text = 'export function sort<T extends { id: string; score: number }, K extends keyof T>(rows: T[], by: K) {}'
    expect(schemaOf(text).by).toEqual({ type: 'string', enum: ['id', 'score'] })
  })

  it('takes plain data of the language, and objects without keys', () => {
    const { style, none } = schemaOf(
      "export function show(style: Pick<Intl.NumberFormatOptions, 'minimumFractionDigits'>, none: Record<string, never>) {}",
    )
    expect(style?.properties).toEqual({ minimumFractionDigits: { type: 'number' } })
    expect(none).toEqual({ type: 'object', properties: {}, additionalProperties: false })
  })

  it.each([
    'context: ToolContext',
    'context?: ToolContext',
    'context: Readonly<ToolContext>',
    '{ signal }: ToolContext',
  ])('does not ask a model for %s', (parameter) => {
    const [compilation] = compile(
      `import type { ToolContext } from '@agentkit/core'\nexport function ping(host: string, ${parameter}) {}`,
    )
    expect(compilation?.compiled).toMatchObject({ parameters: [{ name: 'host' }], contextIndex: 1 })
    expect(compilation?.compiled.inputSchema.properties).toEqual({ host: { type: 'string' } })
  })

  it('says where a Date is, wherever it is', () => {
    const [compilation] = compile(`export function book(
      at: Date | null = null, days: Date[] = [], by?: Record<string, { 'a/b~c': Date }>, either?: Date | { at: Date },
    ) {}`)
    expect(compilation?.compiled.dates).toEqual([
      '/properties/at',
      '/properties/days/items',
      '/properties/by/additionalProperties/properties/a~1b~0c',
      '/properties/either/anyOf/0',
      '/properties/either/anyOf/1/properties/at',
    ])
  })
})

describe('a function that cannot be a tool', () => {
  it('is one with overloads in JavaScript', () => {
    const text = `/** @overload
      * @param {string} id */
      /** @overload
      * @param {number} id */
      /** @param {string | number} id Its number. */
      export function get(id) {}`
    expect(() => compile(text, { file: 'written.js' })).toThrow(/written\.js:6: get .* 2 overloads \(\S*:1, \S*:3\)/)
  })

  it.each<[string, string, RegExp]>([
    [
      'for its overloads, which it names',
      'export function get(id: string): void\nexport function get(id: number): void\nexport function get(id: unknown) {}',
      /get cannot be a tool: it has 2 overloads \(\S*written\.ts:1, \S*written\.ts:2\)/,
    ],
    [
      'for a part of the context, which a model would fill in',
      "import type { ToolContext } from '@agentkit/core'\nexport function ping(caller: Pick<ToolContext, 'userId'>) {}",
      /written\.ts:2: .*"caller" is a part of ToolContext. Take the whole: caller: ToolContext/,
    ],
    [
      'for what a mapped type makes of a Date',
      'type Deep<T> = T extends object ? { [Key in keyof T]?: Deep<T[Key]> } : T\nexport function find(where: Deep<{ at: Date }>) {}',
      /"where\.at" .* is an instance of a class/,
    ],
    [
      'for a context that is not the last parameter',
      "import type { ToolContext } from '@agentkit/core'\nexport function ping(context: ToolContext, host: string) {}",
      /"context" is a ToolContext, and has to be the last one/,
    ],
    [
      'for a type without end',
      'type Deep<T> = { value: T; next?: Deep<T[]> }\nexport function dig(deep: Deep<string>) {}',
      /written\.ts:2: .*"deep.* too large/,
    ],
    [
      'for a tag that cannot mean what it says',
      '/**\n * Waits.\n * @param seconds How long.\n * @minimum none\n */\nexport function wait(seconds: number) {}',
      /"seconds" has the tag @minimum with "none"/,
    ],
    [
      'for a word that is called an integer',
      'export function wait(/** @integer */ seconds: string) {}',
      /"seconds" is tagged @integer, and is no number/,
    ],
    [
      'for two parameters of one name',
      'export function wait({ a }: { a: string }, { b }: { b: string }) {}',
      /"options" has the name of another one/,
    ],
    [
      'for giving more than one result',
      'export function* count(to: number) { yield to }',
      /is a generator.*Return an array/,
    ],
  ])('is refused %s', (_name, text, message) => {
    expect(() => compile(text)).toThrow(message)
  })

  it('is refused at the line of the parameter', () => {
    const text = 'export function listen(\n  port: number,\n  onData: (data: string) => void,\n) {}'
    expect(() => compile(text)).toThrow(
      /written\.ts:3: listen cannot be a tool: parameter "onData" \(\(data: string\) => void\) is a function/,
    )
  })
})

it('compiles the current text of a file, also with all files of the project', () => {
  const path = join(import.meta.dirname, 'watched.ts')
  const project = openProject([path], { lib: 'small' })
  // The checker looks at the signal's type only then.
  for (const name of ['first', 'second']) {
    const text = `import type { ToolContext } from '@agentkit/core'\nexport function wait(${name}: ToolContext['signal']) {}`
    const [found] = findFunctions(project.ts, project.sourceFile(path, text))
    expect(() => compileFunction(found as FoundFunction, project)).toThrow(`"${name}" (AbortSignal) is an instance`)
  }
})
