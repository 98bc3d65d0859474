import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build as bundle } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { leanConfig, type TemporaryProject, temporaryProject } from './__fixtures__/temporary-project.ts'
import { buildManifest } from './build-manifest.ts'

const math = `
/**
 * Adds two numbers.
 * @param a The first.
 * @param b The second.
 */
export function add(a: number, b: number): number {
  return a + b
}
`

const everyKind = {
  'src/math.ts': `${math}
/**
 * Doubles a number.
 * @param value The number.
 */
export const double = (value: number): number => value * 2

/**
 * Halves a number.
 * @param value The number.
 */
export default function half(value: number): number {
  return value / 2
}

function notExported(anything: any): void {
  void anything
}
void notExported
`,
  'src/deep/counter.ts': `
export class Counter {
  #count = 0
  /**
   * Counts on.
   * @param by How far.
   */
  count(by: number): number {
    this.#count += by
    return this.#count
  }
  /**
   * Where counting begins.
   * @param name The counter's name.
   */
  static start(name: string): string {
    return name + ' starts at 0'
  }
  private reset(how: any): void {
    this.#count = how
  }
  restart(): void
  /** @internal */
  restart(how?: any): void {
    this.reset(how)
  }
}

export const words = {
  nested: {
    /**
     * Shouts.
     * @param text What.
     */
    'shout-it': (text: string): string => text.toUpperCase(),
  },
}
`,
  'src/app.ts': `
import './agentkit-tools.ts'
import { toolFromFunction } from '@agentkit/functions'
import { Counter, words } from './deep/counter.ts'
import half, { add, double } from './math.ts'

const counter = new Counter()
const context = {} as never
console.log(await toolFromFunction(add).execute({ b: 1, a: 2 }, context))
console.log(await toolFromFunction(double).execute({ value: 4 }, context))
console.log(await toolFromFunction(half).execute({ value: 4 }, context))
console.log(await toolFromFunction(counter.count.bind(counter)).execute({ by: 7 }, context))
console.log(await toolFromFunction(Counter.start).execute({ name: 'One' }, context))
console.log(await toolFromFunction(words.nested['shout-it']).execute({ text: 'hey' }, context))
`,
}

describe('buildManifest', () => {
  it('writes a module by which plain Node finds the tools of all exported functions', async () => {
    using project = temporaryProject(everyKind)
    expect(buildManifest({ patterns: ['src/**/*.ts'], cwd: project.folder })).toEqual({
      file: 'src/agentkit-tools.ts',
      functions: 6,
      problems: [],
      warnings: [],
    })
    expect(await project.run('src/app.ts')).toBe('3\n8\n2\n7\nOne starts at 0\nHEY')
  })

  it('writes a module by which an agent calls the functions', async () => {
    using project = leanProject({
      'math.ts': math,
      'app.ts': `
        import './agentkit-tools.ts'
        import { Agent } from '@agentkit/core'
        import { scriptedModel } from '@agentkit/testing'
        import { add } from './math.ts'

        const model = scriptedModel([{ toolCalls: [{ name: 'add', input: { a: 2, b: 3 } }] }, { text: 'There.' }])
        const agent = new Agent({ name: 'Clerk', functions: [add], model })
        for await (const event of agent.stream('Add 2 and 3.')) {
          if (event.type === 'tool-result') console.log(JSON.stringify(event.output))
        }`,
    })
    buildManifest({ patterns: ['.'], cwd: project.folder })
    expect(await project.run('app.ts')).toBe('5')
  })

  it('writes a module that a bundle keeps, and no compiler with it', async () => {
    using project = temporaryProject(everyKind)
    buildManifest({ patterns: ['src/**/*.ts'], cwd: project.folder })
    const { metafile } = await bundle({
      absWorkingDir: project.folder,
      entryPoints: ['src/app.ts'],
      outfile: 'bundle.js',
      bundle: true,
      format: 'esm',
      platform: 'node',
      conditions: ['@agentkit/source'],
      metafile: true,
    })
    expect(Object.keys(metafile.inputs).filter((file) => /compiler|manifest|ts-morph/.test(file))).toEqual([])
    expect(await project.run('bundle.js')).toBe('3\n8\n2\n7\nOne starts at 0\nHEY')
  })

  it.each([
    ['compiled for Node', { module: 'nodenext' }, './math.js'],
    ['run by Node as it is', { module: 'nodenext', allowImportingTsExtensions: true }, './math.ts'],
    ['compiled with its imports', { module: 'nodenext', rewriteRelativeImportExtensions: true }, './math.ts'],
    ['bundled', { module: 'preserve' }, './math'],
  ])('writes what the strictest compiler accepts where sources are %s', async (_, compilerOptions, specifier) => {
    const { 'src/app.ts': _app, ...sources } = everyKind
    using project = leanProject({
      'tsconfig.json': leanConfig({ allowImportingTsExtensions: false, ...compilerOptions }),
      ...sources,
    })
    buildManifest({ patterns: ['src'], cwd: project.folder })
    expect(project.read('src/agentkit-tools.ts')).toContain(`import * as mathModule from '${specifier}'`)
    expect(await project.typeErrors(compilerOptions)).toEqual([])
  })

  it('reports every function that cannot be a tool, and keeps the earlier manifest', () => {
    using project = leanProject({ 'src/math.ts': math })
    buildManifest({ patterns: ['src'], cwd: project.folder })
    const before = project.read('src/agentkit-tools.ts')
    project.write({
      'src/math.ts': `${math}\nexport const later = (done: () => void): void => done()\n`,
      'src/symbols.ts':
        'export function find(key: symbol): void {}\nexport function sub(a: number): number { return -a }\n',
    })
    const { functions, problems } = buildManifest({ patterns: ['src'], cwd: project.folder })
    expect(problems).toEqual([
      expect.stringMatching(/src\/math\.ts:11: later cannot be a tool: .*done.*\(\) => void/),
      expect.stringMatching(/src\/symbols\.ts:1: find cannot be a tool: .*key.*symbol/),
      'A function that is not a tool: do not export it, tag it @internal, or leave its file out of the pattern.',
    ])
    expect(functions).toBe(2)
    expect(project.read('src/agentkit-tools.ts')).toBe(before)
  })

  it('warns of types that models do not receive, which is an error in strict mode', () => {
    using project = leanProject({ 'sub.ts': 'export function sub(a: number): number { return -a }\n' })
    const strict = buildManifest({ patterns: ['.'], cwd: project.folder, strict: true })
    expect(strict.problems).toHaveLength(2)
    expect(existsSync(join(project.folder, 'agentkit-tools.ts'))).toBe(false)

    const { warnings, problems } = buildManifest({ patterns: ['.'], cwd: project.folder })
    expect(problems).toEqual([])
    expect(warnings).toEqual(strict.problems)
    expect(warnings[0]).toMatch(/sub\.ts:1: sub has no description/)
    expect(existsSync(join(project.folder, 'agentkit-tools.ts'))).toBe(true)
  })

  it.each([
    ['function', '/** @internal */ export function no(x: symbol): void {}'],
    [
      'function with another tag',
      '/**\n * Not this.\n * @ignore It is for tests.\n */\nexport function no(x: symbol): void {}',
    ],
    ['constant', '/** @internal */ export const no = (x: symbol): void => {}'],
    ['default export', '/** @internal */ export default (x: symbol): void => {}'],
    ['class', '/** @internal */ export class No { no(x: symbol): void {} }'],
    ['method', 'export class No {\n  /** @internal */\n  no(x: symbol): void {}\n}'],
    ['object', '/** @internal */ export const no = { no(x: symbol): void {} }'],
    ['property', 'export const no = {\n  /** @internal */\n  no: (x: symbol): void => {},\n}'],
  ])('leaves out the %s that is tagged to be no tool', (_, text) => {
    using project = leanProject({ 'math.ts': math, 'no.ts': text })
    expect(buildManifest({ patterns: ['.'], cwd: project.folder })).toMatchObject({ functions: 1, problems: [] })
  })

  it('warns of a constant that a call makes a function of', () => {
    using project = leanProject({
      'math.ts': math,
      'made.ts': `const memo = <T>(of: T): T => of
        export const remembered = memo((a: number): number => a)
        /** @internal */
        export const inner = memo((a: number): number => a)
        export const list = memo([1])
        const own = memo((a: number): number => a)
        void own`,
    })
    const { warnings, functions } = buildManifest({ patterns: ['.'], cwd: project.folder })
    expect(functions).toBe(1)
    expect(warnings).toEqual([expect.stringMatching(/made\.ts:2: remembered is made by a call.*tool\(\)/)])
  })

  it('warns of a class field, which it cannot reach', () => {
    using project = leanProject({
      'math.ts': math,
      'sum.ts': `
        export class Sum { add = (a: number): number => a; private own = (a: number): number => a }
        class Inner { add = (a: number): number => a }
        export default class { add = (a: number): number => a }
        void Inner`,
    })
    const { warnings, functions } = buildManifest({ patterns: ['.'], cwd: project.folder })
    expect(functions).toBe(1)
    expect(warnings).toEqual([
      expect.stringMatching(/sum\.ts:2: Sum#add is a field of each instance/),
      expect.stringMatching(/sum\.ts:4: default#add is a field of each instance/),
    ])
  })

  it('does not leave out functions after a syntax error', () => {
    using project = leanProject({ 'math.ts': `export const x = ;\n${math}` })
    expect(buildManifest({ patterns: ['.'], cwd: project.folder }).problems).toEqual([
      expect.stringMatching(/math\.ts:1: Expression expected\./),
    ])
  })

  it('says where it looked when nothing is exported', () => {
    using project = leanProject({ 'a.ts': 'function a() {}', 'b.ts': 'export const b = 1' })
    expect(() => buildManifest({ patterns: ['*.ts', '!c.ts'], cwd: project.folder })).toThrow(
      expect.objectContaining({
        code: 'invalid-argument',
        message:
          "No function is exported by what '*.ts' '!c.ts' finds (a.ts, b.ts). Export the functions that are tools. Of a " +
          'file that exports those of other files (export … from), name the other files.',
      }),
    )
  })

  it('lists only some of many files where nothing is exported', () => {
    using project = leanProject(Object.fromEntries([1, 2, 3, 4, 5, 6].map((number) => [`${number}.ts`, ''])))
    expect(() => buildManifest({ patterns: ['*.ts'], cwd: project.folder })).toThrow(
      '(1.ts, 2.ts, 3.ts, 4.ts, 5.ts, …)',
    )
  })

  describe('where functions and manifest import each other', () => {
    const entry = (tool: string) => `
      import './agentkit-tools.ts'
      import { toolFromFunction } from '@agentkit/functions'
      ${tool}
      console.log(toolFromFunction(greet).name)`

    it('lets a declared function be, which is there in time', async () => {
      using project = leanProject({ 'app.ts': entry('export function greet(): string { return "Hi" }') })
      buildManifest({ patterns: ['.'], cwd: project.folder })
      expect(await project.run('app.ts')).toBe('greet')
      expect(buildManifest({ patterns: ['.'], cwd: project.folder }).problems).toEqual([])
    })

    it.each([
      ['a constant', { 'app.ts': entry('export const greet = (): string => "Hi"') }],
      [
        'a class',
        {
          'app.ts': entry('export class Greeter { static greet(): string { return "Hi" } }\nconst { greet } = Greeter'),
        },
      ],
      [
        'a constant that is imported',
        {
          'app.ts': "import './greet.ts'",
          'greet.ts': "import './all.ts'\nexport const greet = (): string => 'Hi'",
          'all.ts': "import './agentkit-tools.ts'",
        },
      ],
    ])('refuses %s, which is not', (_, files) => {
      using project = leanProject(files)
      const { problems } = buildManifest({ patterns: ['.'], cwd: project.folder })
      expect(problems[0]).toMatch(/greet is not there yet when agentkit-tools\.ts attaches its tool/)
    })
  })

  describe('its module', () => {
    it('is the same, wherever the command runs', () => {
      using project = leanProject(everyKind)
      buildManifest({ patterns: ['src/**/*.ts', '!src/app.ts'], cwd: project.folder })
      const text = project.read('src/agentkit-tools.ts')
      expect(text).toContain('"patterns":["**/*.ts","!app.ts"]')
      rmSync(join(project.folder, 'src/agentkit-tools.ts'))
      buildManifest({ patterns: ['../**/*.ts', '!../app.ts'], cwd: join(project.folder, 'src/deep') })
      expect(project.read('src/agentkit-tools.ts')).toBe(text)
    })

    it('is JavaScript in a folder of JavaScript', async () => {
      using project = leanProject({
        'lib/add.js': '/**\n * Adds.\n * @param {number} a One.\n */\nexport function add(a) { return a + 1 }\n',
        'lib/app.js': javaScriptAppOf('add', './add.js'),
      })
      expect(buildManifest({ patterns: ['lib/**/*.js'], cwd: project.folder }).file).toBe('lib/agentkit-tools.js')
      expect(await project.run('lib/app.js')).toBe('add')
    })

    it.each([
      ['generated/tools.ts', '../math.ts'],
      ['tools.mjs', './math.ts'],
      ['deep/er/tools.mts', '../../math.ts'],
    ])('is the one that is named: %s', (out, specifier) => {
      using project = leanProject({ 'math.ts': math })
      expect(buildManifest({ patterns: ['math.ts'], cwd: project.folder, out }).file).toBe(out)
      expect(project.read(out)).toContain(`import * as mathModule from '${specifier}'`)
    })

    it.each(['tools.json', 'tools', 'tools.d.ts', 'tools.cjs', 'lib/'])('is not %s', (out) => {
      using project = leanProject({ 'math.ts': math })
      expect(() => buildManifest({ patterns: ['math.ts'], cwd: project.folder, out })).toThrow('Name a .ts')
    })

    it('never takes the place of another file', () => {
      using project = leanProject({ 'math.ts': math, 'app.ts': 'console.log(1)' })
      expect(() => buildManifest({ patterns: ['math.ts'], cwd: project.folder, out: 'app.ts' })).toThrow(
        'app.ts is not from `agentkit tools build`, so it is not overwritten.',
      )
      expect(project.read('app.ts')).toBe('console.log(1)')
    })

    it('keeps the format of a formatter while its content is the same, and is written again when it changes', () => {
      using project = leanProject({ 'math.ts': math })
      const options = { patterns: ['.'], cwd: project.folder }
      buildManifest(options)
      const text = project.read('agentkit-tools.ts')
      const formatted = text.replaceAll("'", '"')
      project.write({ 'agentkit-tools.ts': formatted })
      buildManifest(options)
      expect(project.read('agentkit-tools.ts')).toBe(formatted)
      project.write({ 'agentkit-tools.ts': formatted.replace('Adds', 'Subtracts') })
      buildManifest(options)
      expect(project.read('agentkit-tools.ts')).toBe(text)
    })

    it('is written again if git left a conflict in it', () => {
      using project = leanProject({ 'math.ts': math })
      const options = { patterns: ['*.ts'], cwd: project.folder, out: 'tools.ts' }
      buildManifest(options)
      const text = project.read('tools.ts')
      project.write({ 'tools.ts': text.replace('attachTool(', '<<<<<<< ours\nattachTool(') })
      expect(buildManifest(options).problems).toEqual([])
      expect(project.read('tools.ts')).toBe(text)
    })

    it('imports attachTool from agentkit where the project depends on that', () => {
      using project = leanProject({ 'math.ts': math, 'package.json': '{ "dependencies": { "agentkit": "*" } }' })
      buildManifest({ patterns: ['.'], cwd: project.folder })
      expect(project.read('agentkit-tools.ts')).toContain("import { attachTool } from 'agentkit/functions'")
    })
  })

  it('reads each file by the tsconfig.json that is nearest to it', () => {
    const text =
      "/**\n * Greets.\n * @param name Whose name.\n */\nexport function greet(name: Name): string { return name }\nimport type { Name } from '#name'\n"
    const config = (folder: string) => leanConfig({ paths: { '#name': [`./${folder}.ts`] } })
    using project = leanProject({
      'a/tsconfig.json': config('name'),
      'a/name.ts': "export type Name = 'Ann'",
      'a/greet.ts': text,
      'b/tsconfig.json': config('title'),
      'b/title.ts': "export type Name = 'Bob'",
      'b/greet.ts': text,
    })
    expect(buildManifest({ patterns: ['a', 'b'], cwd: project.folder })).toMatchObject({ functions: 2, problems: [] })
    expect(project.read('agentkit-tools.ts')).toMatch(/greetModule\.greet.*'Ann'.*greetModule2\.greet.*'Bob'/s)
  })
})

function leanProject(files: Record<string, string>): TemporaryProject {
  return temporaryProject({ 'tsconfig.json': leanConfig(), ...files })
}

function javaScriptAppOf(name: string, from: string): string {
  return `
    import './agentkit-tools.js'
    import { toolFromFunction } from '@agentkit/functions'
    import { ${name} } from '${from}'
    console.log(toolFromFunction(${name}).name)`
}
