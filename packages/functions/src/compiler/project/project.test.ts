import { describe, expect, it, vi } from 'vitest'
import { type TemporaryApp, temporaryApp } from '../../__fixtures__/temporary-app.ts'
import { findFunctions } from '../find/find-functions.ts'
import { openProject, type TypedProject } from './project.ts'

const lean = JSON.stringify({ compilerOptions: { lib: ['esnext'], types: [], module: 'nodenext', strict: true } })

describe('openProject', () => {
  it.each(['small', 'own'] as const)('knows the types of a file and of its imports, with %s libraries', (lib) => {
    using app = temporaryApp({
      'tsconfig.json': lean,
      'tools.ts': "import type { Order } from './types.ts'\nexport function buy(order: Order, times?: number) {}",
      'types.ts': "export type Order = { kind: 'book' | 'food' }",
    })
    const project = openProject([app.path('tools.ts')], { lib })
    expect(parameterTypes(project, app.path('tools.ts'))).toEqual(['Order', 'number | undefined'])
    expect(propertyTypes(project, app.path('tools.ts'))).toEqual({ kind: '"book" | "food"' })
  })

  it('reads files of its own that were not named when it was opened', () => {
    using app = temporaryApp({
      'tsconfig.json': lean,
      'a.ts': 'function a(x: string) {}',
      'b.ts': 'function b(y: 1) {}',
    })
    const project = openProject([app.path('a.ts')])
    const first = project.sourceFile(app.path('a.ts'))
    expect(parameterTypes(project, app.path('b.ts'))).toEqual(['1'])
    expect(project.sourceFile(app.path('a.ts'))).toBe(first)
    expect(parameterTypes(project, app.path('a.ts'))).toEqual(['string'])
  })

  it('takes the text that it is given, then and later', () => {
    using app = temporaryApp({
      'tsconfig.json': lean,
      'a.ts': 'function a(x: string) {}',
      'b.ts': "import type { B } from './c.ts'\nfunction b(x: B) {}",
      'c.ts': 'export type B = { c: 1 }',
    })
    const project = openProject([app.path('a.ts'), app.path('b.ts')])
    expect(project.sourceFile(app.path('a.ts'), '\uFEFFfunction a(x: number) {}').text).toBe('function a(x: number) {}')
    expect(parameterTypes(project, app.path('a.ts'))).toEqual(['number'])
    expect(propertyTypes(project, app.path('b.ts'))).toEqual({ c: '1' })
    project.sourceFile(app.path('c.ts'), 'export type B = { c: 2 }')
    expect(propertyTypes(project, app.path('b.ts'))).toEqual({ c: '2' })
    expect(project.complete().sourceFile(app.path('a.ts')).text).toBe('function a(x: number) {}')
  })

  it('knows the dependencies of a file, also when a larger program is built again', () => {
    using app = temporaryApp({
      'tsconfig.json': '{}',
      'a.ts': `import type { Rate } from 'rates'
        import type { B } from './b.ts'
        import type { C } from './not-yet.ts'
        function a(x: B, y: C, z: Rate) {}`,
      'b.ts': 'export type B = { b: 1 }',
      'other.ts': 'export {}',
      'node_modules/rates/package.json': '{ "name": "rates", "version": "1.0.0", "types": "./index.d.ts" }',
      'node_modules/rates/index.d.ts': 'export type Rate = { rate: number }',
    })
    const project = openProject([app.path('a.ts')], { lib: 'small' })
    project.sourceFile(app.path('a.ts'))
    const before = project.dependencies(app.path('a.ts'))
    expect(before).toEqual(expect.arrayContaining([app.path('b.ts'), app.path('not-yet.ts')]))
    project.sourceFile(app.path('other.ts'))
    // Reading the checker builds a program of both files from the first program.
    void project.checker
    expect(project.dependencies(app.path('a.ts'))).toEqual(before)
  })

  it('says that there is no such file', () => {
    using app = temporaryApp({})
    const project = openProject([], { lib: 'small' })
    expect(() => project.sourceFile(app.path('none.ts'))).toThrow(expect.objectContaining({ code: 'not-found' }))
  })

  it('uses the nearest tsconfig.json, and those that it extends', () => {
    using app = temporaryApp({
      'base.json': JSON.stringify({
        compilerOptions: { exactOptionalPropertyTypes: true, customConditions: ['mine'] },
      }),
      'tsconfig.json': JSON.stringify({
        extends: './base.json',
        compilerOptions: { lib: ['esnext'], module: 'nodenext' },
      }),
      'src/a.ts': "import type { A } from '@agentkit/thing'\nfunction a(x: A) {}",
      'node_modules/@agentkit/thing/package.json': JSON.stringify({
        exports: { '.': { mine: './mine.d.ts', default: './other.d.ts' } },
      }),
      'node_modules/@agentkit/thing/mine.d.ts': 'export type A = { mine: 1 }',
      'node_modules/@agentkit/thing/other.d.ts': 'export type A = { other: 1 }',
    })
    const project = openProject([app.path('src/a.ts')], { lib: 'small' })
    expect(propertyTypes(project, app.path('src/a.ts'))).toEqual({ mine: '1' })
    expect(project.dependencies(app.path('src/a.ts'))).toEqual(
      expect.arrayContaining([app.path('tsconfig.json'), app.path('base.json')]),
    )
  })

  it.each(['--conditions=mine', '--conditions mine', '-C mine'])(
    'finds types where Node finds code, with %s',
    (flag) => {
      using app = temporaryApp({
        'tsconfig.json': lean,
        'a.ts': "import type { A } from 'thing'\nfunction a(x: A) {}",
        'node_modules/thing/package.json': packageOf('thing', { mine: './mine.d.ts', default: './other.d.ts' }),
        'node_modules/thing/mine.d.ts': 'export type A = { mine: 1 }',
        'node_modules/thing/other.d.ts': 'export type A = { other: 1 }',
      })
      vi.stubEnv('NODE_OPTIONS', `--no-warnings ${flag}`)
      const project = openProject([app.path('a.ts')], { lib: 'small' })
      vi.unstubAllEnvs()
      expect(propertyTypes(project, app.path('a.ts'))).toEqual({ mine: '1' })
    },
  )

  it('uses the project that has the file, where a tsconfig.json only lists projects', () => {
    const paths = { compilerOptions: { lib: ['esnext'], module: 'preserve', paths: { '@/*': ['./src/*'] } } }
    using app = temporaryApp({
      'tsconfig.json': JSON.stringify({ files: [], references: [{ path: './other.json' }, { path: './app.json' }] }),
      'other.json': JSON.stringify({ include: ['scripts'] }),
      'app.json': JSON.stringify({ ...paths, include: ['src'] }),
      'scripts/a.ts': 'export {}',
      'src/b.ts': 'export type B = { b: 1 }',
      'src/a.ts': "import type { B } from '@/b'\nfunction a(x: B) {}",
    })
    const project = openProject([app.path('src/a.ts')], { lib: 'small' })
    expect(propertyTypes(project, app.path('src/a.ts'))).toEqual({ b: '1' })
    expect(project.dependencies(app.path('src/a.ts'))).toContain(app.path('app.json'))
  })

  it('finds installed global types that a tsconfig.json does not name', () => {
    using app = temporaryApp({
      'tsconfig.json': '{}',
      'a.ts': 'function a(x = planet()) {}',
      'node_modules/@types/planets/package.json': '{ "name": "@types/planets", "version": "1.0.0" }',
      'node_modules/@types/planets/index.d.ts': "declare function planet(): 'mars' | 'venus'",
    })
    const project = openProject([app.path('a.ts')], { lib: 'own' })
    expect(parameterTypes(project, app.path('a.ts'))).toEqual(['"mars" | "venus"'])
  })

  it.each([
    ['is not JSON', '{ nothing', /tsconfig\.json: .*correct it/],
    ['extends what is not there', '{ "extends": "./none.json" }', /tsconfig\.json: .*none\.json.*correct it/],
  ])('refuses a tsconfig.json that %s', (_what, text, message) => {
    using app = temporaryApp({ 'tsconfig.json': text, 'a.ts': 'function a() {}' })
    expect(() => openProject([app.path('a.ts')])).toThrow(
      expect.objectContaining({ code: 'invalid-config', message: expect.stringMatching(message) }),
    )
  })

  it('distinguishes null from undefined also where the tsconfig.json does not', () => {
    using app = temporaryApp({
      'tsconfig.json': JSON.stringify({ compilerOptions: { strict: false, lib: ['esnext'] } }),
      'a.ts': 'function a(x: string | null, y?: 1) {}',
    })
    expect(parameterTypes(openProject([app.path('a.ts')]), app.path('a.ts'))).toEqual([
      'string | null',
      '1 | undefined',
    ])
  })

  it('reads the JSDoc types of JavaScript', () => {
    using app = temporaryApp({
      'tsconfig.json': lean,
      'a.js': "/** @param {import('./types.ts').A} a */\nexport function f(a) {}",
      'types.ts': 'export type A = { b: 1 }',
    })
    const project = openProject([app.path('a.js')], { lib: 'small' })
    expect(propertyTypes(project, app.path('a.js'))).toEqual({ b: '1' })
    expect(project.dependencies(app.path('a.js'))).toContain(app.path('types.ts'))
  })

  it('finds packages whose types are for ES modules alone, from files that are one', () => {
    using app = temporaryApp({
      'a.ts': "import type { A } from 'only-import'\nfunction a(x: A) {}",
      'b.cts': "import type { A } from 'two-faced'\nfunction b(x: A) {}",
      'node_modules/only-import/package.json': packageOf('only-import', { import: './index.d.ts' }),
      'node_modules/only-import/index.d.ts': 'export type A = { a: 1 }',
      'node_modules/two-faced/package.json': packageOf('two-faced', {
        import: './index.d.ts',
        require: './index.d.cts',
      }),
      'node_modules/two-faced/index.d.ts': 'export type A = { imported: 1 }',
      'node_modules/two-faced/index.d.cts': 'export type A = { required: 1 }',
    })
    const project = openProject([app.path('a.ts')], { lib: 'small' })
    expect(propertyTypes(project, app.path('a.ts'))).toEqual({ a: '1' })
    expect(propertyTypes(project, app.path('b.cts'))).toEqual({ required: '1' })
  })

  describe('with small libraries', () => {
    it('does not read files that only the bodies of functions use', () => {
      using app = temporaryApp({
        'tsconfig.json': lean,
        'a.ts': "import { b } from './b.ts'\nexport function a(x: string) { return b(x) }",
        'b.ts': 'export function b(x: string) {}',
      })
      const [small, own] = openBoth(app, 'a.ts')
      expect(small.dependencies(app.path('a.ts'))).not.toContain(app.path('b.ts'))
      expect(own.dependencies(app.path('a.ts'))).toContain(app.path('b.ts'))
    })

    it("reads core's declarations of agentkit, and not the SDKs of the other packages", () => {
      using app = temporaryApp({
        'a.ts': "import type { Context } from 'agentkit'\nfunction a(x: Context) {}",
        'node_modules/agentkit/package.json': packageOf('agentkit', { default: './index.d.ts' }),
        'node_modules/agentkit/index.d.ts': "export * from './own.js'\nexport type { Client } from 'sdk'",
        'node_modules/agentkit/own.d.ts': "export type { ToolContext as Context } from '@agentkit/core'",
        'node_modules/sdk/package.json': packageOf('sdk', { default: './index.d.ts' }),
        'node_modules/sdk/index.d.ts': 'export type Client = { c: 1 }',
      })
      const [small, own] = openBoth(app, 'a.ts')
      expect(propertyTypes(small, app.path('a.ts'))).toHaveProperty('callId', 'string')
      expect(small.textOf(app.path('node_modules/sdk/index.d.ts'))).toBeUndefined()
      expect(small.textOf('/node_modules/typescript/lib/lib.esnext.d.ts')).toBeDefined()
      expect(small.textOf('/node_modules/typescript/lib/lib.dom.d.ts')).toBeUndefined()
      own.sourceFile(app.path('a.ts'))
      expect(own.textOf(app.path('node_modules/sdk/index.d.ts'))).toBeDefined()
    })

    it.each([
      ['names a type that is none of the language', 'function a(x: RequestInit) {}'],
      ['extends one', 'interface A extends RequestInit {}\nfunction a(x: A) {}'],
      ['is JavaScript', '/** @param {RequestInit} x */\nfunction a(x) {}', 'a.js'],
      ['imports a package that may', "import type { A } from 'web'\nfunction a(x: A) {}"],
    ])('takes the libraries of the tsconfig.json for a file that %s', (_what, text, file = 'a.ts') => {
      using app = temporaryApp({
        'tsconfig.json': JSON.stringify({ compilerOptions: { lib: ['esnext', 'dom'], types: [], module: 'nodenext' } }),
        [file]: text,
        'node_modules/web/package.json': packageOf('web', { default: './index.d.ts' }),
        'node_modules/web/index.d.ts': 'export interface A extends RequestInit {}',
      })
      const project = openProject([app.path(file)], { lib: 'small' })
      expect(propertyTypes(project, app.path(file))).toHaveProperty('method', 'string | undefined')
    })

    it('follows every import of a package', () => {
      using app = temporaryApp({
        'tsconfig.json': lean,
        'a.ts': "import type { A } from 'web'\nfunction a(x: A) {}",
        'node_modules/web/package.json': packageOf('web', { default: './index.d.ts' }),
        'node_modules/web/index.d.ts': "import 'globals'\nexport declare const one = 1\nexport type A = Global",
        'node_modules/globals/package.json': packageOf('globals', { default: './index.d.ts' }),
        'node_modules/globals/index.d.ts': 'declare global { interface Global { g: 1 } }\nexport {}',
      })
      const project = openProject([app.path('a.ts')], { lib: 'small' })
      expect(propertyTypes(project, app.path('a.ts'))).toEqual({ g: '1' })
    })

    it("knows the global types of the project's own declarations where they are named", () => {
      using app = temporaryApp({
        'tsconfig.json': JSON.stringify({ compilerOptions: { lib: ['esnext'], types: [] }, include: ['src'] }),
        'src/a.ts': 'function a(x: Account) {}',
        'src/deep/globals.d.ts': 'interface Account { id: 1 }',
        'other/globals.d.ts': 'interface Account { other: 1 }',
      })
      const project = openProject([app.path('src/a.ts')], { lib: 'small' })
      expect(propertyTypes(project, app.path('src/a.ts'))).toEqual({ id: '1' })
      expect(project.dependencies(app.path('src/a.ts'))).toContain(app.path('src/deep/globals.d.ts'))
    })

    it('knows what a declaration of the project adds to the types of a file', () => {
      using app = temporaryApp({
        'tsconfig.json': lean,
        'a.ts': "import type { Order } from './orders.ts'\nfunction a(x: Order) {}",
        'orders.ts': 'export interface Order { id: 1 }',
        'types/orders.d.ts': "export {}\ndeclare module '../orders.ts' { interface Order { note: 2 } }",
        'types/icons.d.ts': "declare module '*.svg' { const icon: Path2D }",
      })
      const project = openProject([app.path('a.ts')], { lib: 'small' })
      expect(propertyTypes(project, app.path('a.ts'))).toEqual({ id: '1', note: '2' })
      expect(project.dependencies(app.path('a.ts'))).toContain(app.path('types/orders.d.ts'))
      expect(project.textOf(app.path('types/icons.d.ts'))).toBeUndefined()
    })

    it('knows what a declaration of the project adds to the types of a package that is used', () => {
      using app = temporaryApp({
        'tsconfig.json': lean,
        'a.ts': "import type { Rate } from 'rates'\nfunction a(x: Rate) {}",
        'types/rates.d.ts': "export {}\ndeclare module 'rates' { interface Rate { fee: 3 } }",
        'types/sdk.d.ts': "export {}\ndeclare module 'sdk' { interface Client { extra: 4 } }",
        'node_modules/rates/package.json': packageOf('rates', { default: './index.d.ts' }),
        'node_modules/rates/index.d.ts': 'export interface Rate { rate: 5 }',
        'node_modules/sdk/package.json': packageOf('sdk', { default: './index.d.ts' }),
        'node_modules/sdk/index.d.ts': 'export interface Client { c: 1 }',
      })
      const project = openProject([app.path('a.ts')], { lib: 'small' })
      expect(propertyTypes(project, app.path('a.ts'))).toEqual({ rate: '5', fee: '3' })
      expect(project.textOf(app.path('node_modules/sdk/index.d.ts'))).toBeUndefined()
    })

    it('is completed once by the omitted files', () => {
      using app = temporaryApp({
        'tsconfig.json': lean,
        'a.ts': "import { b } from './b.ts'\nexport function a(x: string) { return b(x) }",
        'b.ts': 'export function b(x: string) {}',
      })
      const small = openProject([app.path('a.ts')], { lib: 'small' })
      const complete = small.complete()
      expect(small.complete()).toBe(complete)
      expect(complete.complete()).toBe(complete)
      complete.sourceFile(app.path('b.ts'))
      expect(small.dependencies(app.path('a.ts'))).toContain(app.path('b.ts'))
      expect(small.textOf(app.path('b.ts'))).toBe('export function b(x: string) {}')
    })
  })

  describe('dependencies', () => {
    it('are the file, its direct and indirect imports, and the versions of packages', () => {
      using app = temporaryApp({
        'tsconfig.json': lean,
        'a.ts': "import type { B } from './b.ts'\nimport type { C } from 'c'\nfunction a(b: B, c: C) {}",
        'b.ts': "import type { D } from './deep/d.ts'\nexport type B = { d: D }",
        'deep/d.ts': "import type { B } from '../b.ts'\nexport type D = { b?: B }",
        'other.ts': 'export type Other = 1',
        'node_modules/c/package.json': packageOf('c', { default: './index.d.ts' }),
        'node_modules/c/index.d.ts': "import type { E } from 'e'\nexport type C = { e: E }",
        'node_modules/e/package.json': packageOf('e', { default: './index.d.ts' }),
        'node_modules/e/index.d.ts': 'export type E = 1',
      })
      const project = openProject([app.path('a.ts'), app.path('other.ts')], { lib: 'small' })
      expect(ownPaths(app, project.dependencies(app.path('a.ts')))).toEqual([
        'a.ts',
        'b.ts',
        'deep/d.ts',
        'node_modules/c/index.d.ts',
        'node_modules/c/package.json',
        'node_modules/e/index.d.ts',
        'node_modules/e/package.json',
        'tsconfig.json',
      ])
    })

    it('change with the text', () => {
      using app = temporaryApp({ 'tsconfig.json': lean, 'a.ts': 'function a(x: 1) {}', 'b.ts': 'export type B = 1' })
      const project = openProject([app.path('a.ts')], { lib: 'small' })
      expect(project.dependencies(app.path('a.ts'))).not.toContain(app.path('b.ts'))
      project.sourceFile(app.path('a.ts'), "import type { B } from './b.ts'\nfunction a(x: B) {}")
      expect(project.dependencies(app.path('a.ts'))).toContain(app.path('b.ts'))
    })

    it('are also the places where missing files would be', () => {
      using app = temporaryApp({
        'tsconfig.json': lean,
        'a.ts': "import type { B } from './b.js'\nimport type { C } from 'c/deep'\nfunction a(b: B, c: C) {}",
      })
      const paths = openProject([app.path('a.ts')], { lib: 'small' }).dependencies(app.path('a.ts'))
      expect(paths).toEqual(expect.arrayContaining([app.path('b.ts'), app.path('node_modules/c/package.json')]))
    })

    it('are the packages of global types, and referenced files', () => {
      using app = temporaryApp({
        'tsconfig.json': JSON.stringify({
          files: ['a.ts'],
          compilerOptions: { lib: ['esnext'], types: ['thing'], module: 'nodenext' },
        }),
        'a.ts': '/// <reference path="./globals.d.ts" />\nfunction a(x: Thing) {}',
        'globals.d.ts': 'interface Other {}',
        'node_modules/@types/thing/package.json':
          '{ "name": "@types/thing", "version": "1.0.0", "types": "index.d.ts" }',
        'node_modules/@types/thing/index.d.ts': 'interface Thing { a: 1 }',
      })
      const project = openProject([app.path('a.ts')], { lib: 'small' })
      expect(propertyTypes(project, app.path('a.ts'))).toEqual({ a: '1' })
      expect(project.dependencies(app.path('a.ts'))).toEqual(
        expect.arrayContaining([app.path('node_modules/@types/thing/package.json'), app.path('globals.d.ts')]),
      )
    })
  })
})

function openBoth(app: TemporaryApp, file: string): [TypedProject, TypedProject] {
  const paths = [app.path(file)]
  return [openProject(paths, { lib: 'small' }), openProject(paths, { lib: 'own' })]
}

function packageOf(name: string, conditions: Record<string, string>): string {
  return JSON.stringify({ name, version: '1.0.0', type: 'module', exports: { '.': conditions } })
}

function parameterTypes(project: TypedProject, path: string): string[] {
  const [found] = findFunctions(project.ts, project.sourceFile(path))
  return (found?.node.parameters ?? []).map((each) => {
    return project.checker.typeToString(project.checker.getTypeAtLocation(each))
  })
}

function propertyTypes(project: TypedProject, path: string): Record<string, string> {
  const file = project.sourceFile(path)
  const { checker } = project
  const parameter = findFunctions(project.ts, file)[0]?.node.parameters[0]
  const properties = parameter ? checker.getTypeAtLocation(parameter).getProperties() : []
  const types = properties.map((each) => [each.name, checker.typeToString(checker.getTypeOfSymbol(each))])
  return Object.fromEntries(types)
}

function ownPaths({ folder }: TemporaryApp, paths: string[]): string[] {
  return paths
    .filter((path) => path.startsWith(folder))
    .map((path) => path.slice(folder.length + 1))
    .toSorted()
}
