import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { AgentKitError, type Tool, type ToolFunction, toolOfFunction } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { type TemporaryApp, temporaryApp } from '../__fixtures__/temporary-app.ts'
import type { FoundFunction } from '../compiler/find/find-functions.ts'
import type { TypedProject } from '../compiler/project/project.ts'
import type { CachedFile, CachedTool } from './cached-file.ts'
import type { CompileCache } from './compile-cache.ts'
import { createFunctionFiles, type FunctionFiles } from './function-files.ts'

const lean = JSON.stringify({ compilerOptions: { lib: ['esnext'], types: [], module: 'nodenext' } })

describe('createFunctionFiles', () => {
  it('compiles a function when its tool is asked for, and not before', () => {
    using app = temporaryApp({
      'tsconfig.json': lean,
      'a.ts': 'export function f(a: string) {}\nexport const g = (b: 1) => b',
    })
    const start = startOf(app)
    const [f, g] = start.load('a.ts')
    expect(start.compiled).toEqual([])
    expect(toolOf(g).inputSchema).toEqual({ type: '1' })
    expect(toolOf(g)).toBe(toolOf(g))
    expect(toolOf(f).name).toBe('f')
    expect(start.compiled).toEqual(['g', 'f'])
  })

  it('attaches nothing to a value that is not a function, or belongs to no loaded file', () => {
    using app = temporaryApp({ 'a.ts': 'export const f = () => 1' })
    const start = startOf(app)
    start.load('a.ts')
    const value = (): void => {}
    start.files.attach(app.path('a.ts'), 0, undefined)
    start.files.attach('unknown', 0, value)
    expect(toolOfFunction in value).toBe(false)
  })

  it('gives all files one project, opened for those that are loaded', () => {
    using app = temporaryApp({
      'tsconfig.json': lean,
      'a.ts': 'export function f() {}',
      'b.ts': 'export function g() {}',
    })
    const start = startOf(app)
    const [f] = start.load('a.ts')
    const [g] = start.load('b.ts')
    toolOf(f)
    toolOf(g)
    expect(new Set(start.projects).size).toBe(1)
  })

  it('gives files of another tsconfig.json a project of their own', () => {
    using app = temporaryApp({
      'one/tsconfig.json': JSON.stringify({ compilerOptions: { paths: { it: ['./it.ts'] } } }),
      'one/a.ts': "import type { It } from 'it'\nexport function f(a: It['name']) {}",
      'one/it.ts': 'export type It = { name: 1 }',
      'two/tsconfig.json': JSON.stringify({ compilerOptions: { paths: { it: ['./other.ts'] } } }),
      'two/a.ts': "import type { It } from 'it'\nexport function f(a: It['name']) {}",
      'two/other.ts': 'export type It = { name: 2 }',
    })
    const start = startOf(app)
    const [one] = start.load('one/a.ts')
    const [two] = start.load('two/a.ts')
    expect([toolOf(one).inputSchema, toolOf(two).inputSchema]).toEqual([{ type: '1' }, { type: '2' }])
    expect(start.projects[0]?.textOf(app.path('two/a.ts'))).toBeUndefined()
  })

  it('uses the loaded text, not the text on disk', () => {
    using app = temporaryApp({
      'tsconfig.json': lean,
      'a.ts': 'export function other() {}\nexport function f(a: 2) {}',
    })
    const first = startOf(app)
    const [f] = first.load('a.ts', 'export function f(a: 1) {}')
    expect(toolOf(f).inputSchema).toEqual({ type: '1' })
    first.files.save()
    const second = startOf(app, first.cache)
    second.load('a.ts', 'export function f(a: 1) {}').map(toolOf)
    expect(second.compiled).toEqual([])
  })

  it('leaves a file that cannot be parsed to Node', () => {
    using app = temporaryApp({ 'a.ts': 'export function f() {}\nexport function (' })
    expect(startOf(app).load('a.ts')).toEqual([])
  })

  it('compiles nothing again at the next start', () => {
    using app = temporaryApp({
      'tsconfig.json': lean,
      'a.ts': 'export function f(a: string) {}\nexport const g = () => 1',
    })
    const first = startOf(app)
    toolOf(first.load('a.ts')[0])
    first.files.save()
    const second = startOf(app, first.cache)
    const [f, g] = second.load('a.ts')
    expect(toolOf(f).inputSchema).toEqual({ type: 'string' })
    expect(second.compiled).toEqual([])
    toolOf(g)
    second.files.save()
    const third = startOf(app, second.cache)
    third.load('a.ts').map(toolOf)
    expect(third.compiled).toEqual([])
  })

  it.each([
    ['was compiled', (loaded: ToolFunction[]) => loaded.map(toolOf)],
    ['was found', () => []],
  ])('keeps soon after what %s', async (_what, use) => {
    using app = temporaryApp({ 'tsconfig.json': lean, 'a.ts': 'export function f(a: string) {}' })
    const start = startOf(app)
    use(start.load('a.ts'))
    expect(start.cache.written).toEqual([])
    while (start.cache.written.length === 0) await sleep(20)
    expect(start.cache.written).toEqual([app.path('a.ts')])
  })

  it('keeps that a file has no functions', () => {
    using app = temporaryApp({ 'a.ts': 'export const a = [1].map((b) => b)' })
    const start = startOf(app)
    expect(start.load('a.ts')).toEqual([])
    start.files.save()
    expect(start.cache.read(app.path('a.ts'), 'export const a = [1].map((b) => b)')).toMatchObject({ plan: [] })
  })

  it('writes nothing where nothing is new', () => {
    using app = temporaryApp({ 'tsconfig.json': lean, 'a.ts': 'export function f(a: string) {}' })
    const start = startOf(app)
    toolOf(start.load('a.ts')[0])
    start.files.save()
    start.files.save()
    const second = startOf(app, start.cache)
    toolOf(second.load('a.ts')[0])
    second.files.save()
    expect(start.cache.written).toEqual([app.path('a.ts')])
  })

  describe('compiles again', () => {
    const files = {
      'tsconfig.json': lean,
      'a.ts': "import type { A } from './types.ts'\nimport type { P } from 'p'\nexport function f(a: A['a'], p: P) {}",
      'types.ts': 'export type A = { a: 1 }',
      'b.ts': 'export function g(b: string) {}',
      'node_modules/p/package.json': '{ "name": "p", "version": "1.0.0", "types": "./index.d.ts" }',
      'node_modules/p/index.d.ts': 'export type P = 1',
    }

    it.each([
      ['an imported type', { 'types.ts': 'export type A = { a: 2 }' }, ['f']],
      ["a package's types, of whatever version", { 'node_modules/p/index.d.ts': 'export type P = 1 | 2' }, ['f']],
      ["a package's version", { 'node_modules/p/package.json': '{ "name": "p", "types": "./index.d.ts" }' }, ['f']],
      ['the file itself', { 'a.ts': 'export function f(a: 2) {}' }, ['f']],
      ['the tsconfig.json', { 'tsconfig.json': lean.replace('esnext', 'es2024') }, ['f', 'g']],
    ])('what depends on %s', (_what, change, compiled) => {
      using app = temporaryApp(files)
      const first = startOf(app)
      for (const file of ['a.ts', 'b.ts']) first.load(file).map(toolOf)
      first.files.save()
      app.write(change)
      const second = startOf(app, first.cache)
      for (const file of ['a.ts', 'b.ts']) second.load(file).map(toolOf)
      expect(second.compiled).toEqual(compiled)
    })

    it('tools of a file that changed before they were cached', () => {
      using app = temporaryApp(files)
      const first = startOf(app)
      const [f] = first.load('a.ts')
      expect(toolOf(f).inputSchema).toEqual({ type: '1' })
      app.write({ 'types.ts': 'export type A = { a: 2 }' })
      first.files.save()
      const second = startOf(app, first.cache)
      expect(second.load('a.ts').map(toolOf)).toMatchObject([{ inputSchema: { type: '2' } }])
    })

    it('functions that cannot be tools', () => {
      using app = temporaryApp(files)
      const first = startOf(app)
      first.failing.add('f')
      const [f] = first.load('a.ts')
      expect(() => toolOf(f)).toThrow('f cannot be a tool')
      first.files.save()
      const second = startOf(app, first.cache)
      expect(second.load('a.ts').map(toolOf)).toMatchObject([{ inputSchema: { type: '1' } }])
    })
  })

  it('compares with the last cached state, and keeps no older one', () => {
    using app = temporaryApp({
      'tsconfig.json': lean,
      'a.ts': `
        import type { A } from './types.ts'
        export function f(a: A['a']) {}
        export function g(a: A['a']) {}`,
      'types.ts': 'export type A = { a: 1 }',
    })
    const first = startOf(app)
    const [f, g] = first.load('a.ts')
    expect(toolOf(f).inputSchema).toEqual({ type: '1' })
    first.files.save()
    app.write({ 'types.ts': 'export type A = { a: 2 }' })
    expect(toolOf(g).inputSchema).toEqual({ type: '2' })
    first.files.save()
    const second = startOf(app, first.cache)
    expect(second.load('a.ts').map((each) => toolOf(each).inputSchema)).toEqual([{ type: '2' }, { type: '2' }])
    expect(second.compiled).toEqual(['f'])
  })

  it('prints each warning once, and again at the next start', () => {
    using app = temporaryApp({ 'tsconfig.json': lean, 'a.ts': 'export function f() {}\nexport function g() {}' })
    const first = startOf(app)
    const [f, g] = first.load('a.ts')
    // Another instance of a class would have its own function, too.
    const [sameAsF] = first.load('a.ts')
    for (const each of [f, g, sameAsF]) toolOf(each)
    expect(first.warnings).toEqual(['f is odd', 'g is odd'])
    first.files.save()
    const second = startOf(app, first.cache)
    second.load('a.ts').map(toolOf)
    expect(second.warnings).toEqual(['f is odd', 'g is odd'])
  })
})

function toolOf(plain: ToolFunction | undefined): Tool {
  const tool = plain?.[toolOfFunction]
  if (!tool) throw new Error('The function carries no tool.')
  return tool
}

type MemoryCache = CompileCache & { written: string[] }

type Start = {
  files: FunctionFiles
  cache: MemoryCache
  compiled: string[]
  projects: TypedProject[]
  warnings: string[]
  /** The names of functions that cannot be tools. */
  failing: Set<string>
  /** Does the same as Node: plans the file, and attaches the tools of its functions. */
  load(file: string, text?: string): ToolFunction[]
}

/** Another start of the app, with what the last one has kept. The "schema" is the type of the first parameter. */
function startOf(app: TemporaryApp, cache = memoryCache()): Start {
  const start: Omit<Start, 'files' | 'load'> = { cache, compiled: [], projects: [], warnings: [], failing: new Set() }
  const files = createFunctionFiles({ cache, compile, warn: (warning) => start.warnings.push(warning) })
  return {
    ...start,
    files,
    load(file, text = readFileSync(app.path(file), 'utf8')) {
      const path = app.path(file)
      const plan = files.plan(path, path, text)
      return plan.flatMap((insertion) => {
        if (!('call' in insertion)) return []
        const { call } = insertion
        const value = (): void => {}
        files.attach(path, call.index, value)
        return [value]
      })
    },
  }

  function compile({ name, node }: FoundFunction, project: TypedProject): CachedTool {
    if (start.failing.has(name)) throw new AgentKitError('invalid-argument', `${name} cannot be a tool`)
    start.compiled.push(name)
    start.projects.push(project)
    const [parameter] = node.parameters
    const type = parameter ? project.checker.typeToString(project.checker.getTypeAtLocation(parameter)) : 'none'
    return { compiled: { name, description: '', inputSchema: { type }, parameters: [] }, warnings: [`${name} is odd`] }
  }
}

function memoryCache(): MemoryCache {
  const kept = new Map<string, string>()
  const written: string[] = []
  return {
    written,
    read(path, text) {
      const known = kept.get(`${path} ${text}`)
      return known === undefined ? undefined : (JSON.parse(known) as CachedFile)
    },
    write(path, text, file) {
      written.push(path)
      kept.set(`${path} ${text}`, JSON.stringify(file))
    },
  }
}
