import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { schemasOf } from '../../__fixtures__/compile-text.ts'
import { compileFunction } from '../compile-function.ts'
import { type FoundFunction, findFunctions } from '../find/find-functions.ts'
import { openProject } from '../project/project.ts'

describe('the order of a union', () => {
  const types = `type Size = 'small' | 'medium' | 'large'
    const colors = ['red', 'green'] as const
    const steps = [3, 1, 2] as const
    const widths = { wide: 'w', narrow: 'n', 'not-set': '' } as const
    interface Box { width: number; height: number; 'is-open': boolean; 2: string; 1: string }
    type Picked<T> = Record<never, T>[never] | T
    type Pairs = \`\${'b' | 'a'}-\${'d' | 'c'}\`
    enum Level { Low = 'low', High = 'high' }
    import type { Size as Own } from './written.ts'
    export type { Size }`

  it.each([
    ['literals', "'medium' | 'large' | 'small'", ['medium', 'large', 'small']],
    ['a named type', 'Size', ['small', 'medium', 'large']],
    ['a type that is imported', 'Own', ['small', 'medium', 'large']],
    ['constants', '(typeof colors)[number]', ['red', 'green']],
    ['values', '(typeof widths)[keyof typeof widths]', ['w', 'n', '']],
    ['keys', 'Exclude<keyof Box, number>', ['width', 'height', 'is-open']],
    ['keys of constants', 'keyof typeof widths', ['wide', 'narrow', 'not-set']],
    ['numbers', '3 | 1 | 2', [3, 1, 2]],
    ['numbers of a list', '(typeof steps)[number]', [3, 1, 2]],
    ['negative numbers', '1 | 0 | -1', [1, 0, -1]],
    ['an enum', 'Exclude<Level, never>', ['low', 'high']],
    ['a type argument', "Picked<'medium' | 'small' | 'large'>", ['medium', 'small', 'large']],
    ['names that are not written in the source', 'Pairs', ['a-c', 'a-d', 'b-c', 'b-d']],
  ])('of %s is that of the source, or of the alphabet, whatever the checker has met before', (_name, type, order) => {
    // In the checker's own order, the type that it meets first comes first.
    const before =
      "export const before = (a: 'large' | 'height' | 'green' | 'medium' | 1 | 2 | 'is-open' | 'n' | '' | 'not-set' | 'narrow' | 'high' | 'b-d' | 'a-d' | 0) => {}"
    for (const first of [before, 'export const before = () => {}']) {
      const { value } = schemasOf(`${first}\n${types}\nexport function take(value: ${type}) {}`, { from: 1 })
      expect(value?.enum).toEqual(order)
    }
  })

  it('is that of a type argument inside a generic type', () => {
    const text = "type Box<T> = { one: T }\nexport function take(value: Box<'open' | 'closed'>) {}"
    const { value } = schemasOf(`export const before = (a: 'closed') => {}\n${text}`, { from: 1 })
    expect(value?.properties).toMatchObject({ one: { enum: ['open', 'closed'] } })
  })

  it('is not that of another parameter', () => {
    const text = `type Box<T> = { one: T }
      export function take(other: Box<'b-d' | 'a-c'>, value: \`\${'b' | 'a'}-\${'d' | 'c'}\`) {}`
    expect(schemasOf(text).value?.enum).toEqual(['a-c', 'a-d', 'b-c', 'b-d'])
  })

  it('is that of the nearest text', () => {
    const text = `type Inner<T> = { all: T; some: \`\${T & string}!\` }
      type Outer<T, Hint> = { inner: Inner<T>; hint?: Hint }
      export function take(value: Outer<'b' | 'a', { 'a!': 1; 'b!': 2 }>) {}`
    expect(schemasOf(text).value?.properties).toMatchObject({
      inner: { properties: { all: { enum: ['b', 'a'] }, some: { enum: ['a!', 'b!'] } } },
    })
  })

  it.each([
    ["true | 'a'", ['boolean', 'string']],
    ["'a' | true", ['string', 'boolean']],
    ["false | 'a'", ['boolean', 'string']],
    ["'a' | false", ['string', 'boolean']],
    ["boolean | 'a'", ['boolean', 'string']],
    ["Port | 'auto'", ['number', 'string']],
    ["'auto' | Port", ['string', 'number']],
    ['number | Id', ['number', 'string']],
    ['Id | number', ['string', 'number']],
    ['boolean | { a: string } | number[] | string', ['boolean', 'object', 'array', 'string']],
    ['B | A', ['object', 'string']],
    ['string | number[] | Date[]', ['string', 'array', 'array']],
  ])('holds for kinds: %s', (type, order) => {
    const text = `type Id = string & { __brand: 'id' }
      type A = string
      type Port = number
      interface B { b: 1 }
      export const before = (a: 'a' | number | Id | string[]) => {}
      export function take(value: ${type}) {}`
    expect(schemasOf(text, { from: 1 }).value?.anyOf).toEqual(
      order.map((kind) => expect.objectContaining({ type: kind })),
    )
  })

  it('follows names no further than a thousand', () => {
    const names = Array.from({ length: 1200 }, (_name, index) => `n${index}: 1`)
    const text = `type Long = { ${names.join('; ')} } & Record<'z' | 'y', 1>
      export function take(value: Extract<keyof Long, 'y' | 'z' | 'n7' | 'n3'>) {}`
    expect(schemasOf(text).value?.enum).toEqual(['n3', 'n7', 'y', 'z'])
  })

  it('is that of lists of words in packages, and of nothing else there', () => {
    const folder = mkdtempSync(join(tmpdir(), 'agentkit-order-'))
    try {
      const types = join(folder, 'node_modules/pkg/index.d.ts')
      mkdirSync(dirname(types), { recursive: true })
      writeFileSync(
        types,
        `export interface Other { b: 'b'; a: 'a' }
        export type Inner = { list: 'd' | 'c' }
        export type Size = 'm' | 'l' | 's'
        export type More = Size | 'xl' | 'a'
        export declare enum Color { Red = 'red', Blue = 'blue' }`,
      )
      const path = join(folder, 'app.ts')
      const project = openProject([path], { lib: 'small' })
      const text = `import type { Color, Inner, More, Other } from 'pkg'
        export function take(more: More, colors: Color, other: Other[keyof Other], list: Inner['list']) {}`
      const [found] = findFunctions(project.ts, project.sourceFile(path, text))
      expect(compileFunction(found as FoundFunction, project).compiled.inputSchema.properties).toMatchObject({
        more: { enum: ['m', 'l', 's', 'xl', 'a'] },
        colors: { enum: ['red', 'blue'] },
        other: { enum: ['a', 'b'] },
        list: { enum: ['c', 'd'] },
      })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('is not that of a class that is named beside it', () => {
    const text = `class Words { b = 'b-c' as const; static a = 'a-d' as const }
      export function take(value: Pick<Words, 'b'> | Exclude<\`\${'a' | 'b'}-\${'c' | 'd'}\`, never>) {}`
    expect(schemasOf(text).value?.anyOf).toContainEqual({ type: 'string', enum: ['a-c', 'a-d', 'b-c', 'b-d'] })
  })
})
