import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildPackages } from '@agentkit/test-build'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Outcome, type TemporaryApp, temporaryApp } from './__fixtures__/temporary-app.ts'

beforeAll(buildPackages)

/** Without types of the DOM and Node, a program is built quickly. */
const lean = JSON.stringify({ compilerOptions: { lib: ['esnext'], types: [], module: 'nodenext' } })

const tools = `
import type { Place } from './types.ts'

/**
 * The weather at a place.
 * @param place Where.
 * @param days How many days.
 */
export async function weather(place: Place, days = 1): Promise<string> {
  return place.city + days
}
/** Adds. @param a One. @param b The other. */
export const add = (a: number, b: number): number => a + b
`

const types = 'export type Place = { /** Its name. */ city: string }'

/** Prints the parameters of functions as tools, and whether the type checker was loaded for them. */
const print = `
import { createRequire } from 'node:module'
import { toolFromFunction } from '@agentkit/core'
export function print(...functions) {
  for (const each of functions) console.log(JSON.stringify(toolFromFunction(each).inputSchema.properties))
  const loaded = Object.keys(createRequire(import.meta.url).cache)
  if (loaded.some((path) => path.includes('@ts-morph'))) console.log('compiled')
}
`

const placeSchema = (type: string): string =>
  JSON.stringify({
    place: {
      type: 'object',
      properties: { city: { type, description: 'Its name.' } },
      required: ['city'],
      additionalProperties: false,
      description: 'Where.',
    },
    days: { type: 'number', description: 'How many days.', default: 1 },
  })
const numbers = '{"a":{"type":"number","description":"One."},"b":{"type":"number","description":"The other."}}'

describe('register', () => {
  it('makes tools of the functions of ES modules, and needs no compiler for it at the next start', async () => {
    using app = weatherApp()
    expect(await app.run('app.ts')).toEqual(printed(placeSchema('string'), numbers, 'compiled'))
    expect(await app.run('app.ts')).toEqual(printed(placeSchema('string'), numbers))
  })

  it('compiles again when an imported type has changed', async () => {
    using app = weatherApp()
    await app.run('app.ts')
    app.write({ 'types.ts': types.replace('string', 'number') })
    expect(await app.run('app.ts')).toEqual(printed(placeSchema('number'), numbers, 'compiled'))
    expect(await app.run('app.ts')).toEqual(printed(placeSchema('number'), numbers))
  })

  it('compiles again when another version has compiled before', async () => {
    using app = weatherApp()
    await app.run('app.ts')
    const folder = app.path('node_modules/.cache/agentkit')
    for (const name of readdirSync(folder)) {
      const kept = JSON.parse(readFileSync(join(folder, name), 'utf8'))
      writeFileSync(join(folder, name), JSON.stringify({ ...kept, version: `0.0.0 ${kept.version}` }))
    }
    expect(await app.run('app.ts')).toMatchObject({ output: expect.stringContaining('compiled') })
  })

  it('works where nothing can be kept', async () => {
    using app = weatherApp({ 'node_modules/.cache': 'no folder' })
    const outcome = printed(placeSchema('string'), numbers, 'compiled')
    expect([await app.run('app.ts'), await app.run('app.ts')]).toEqual([outcome, outcome])
  })

  it('lets two processes start at once', async () => {
    using app = weatherApp()
    const outcomes = await Promise.all([app.run('app.ts'), app.run('app.ts')])
    expect(outcomes.map(({ output }) => output.split('\n')[1])).toEqual([numbers, numbers])
    expect(await app.run('app.ts')).toEqual(printed(placeSchema('string'), numbers))
  })

  it.each([
    [
      'CommonJS in TypeScript',
      'tools.cts',
      `${documented()}function add(a: number, b: number) {}\nmodule.exports = { add }`,
    ],
    ['CommonJS in JavaScript', 'tools.cjs', `'use strict'\n${documented('number')}exports.add = (a, b) => a + b`],
    ['JavaScript', 'tools.mjs', `${documented('number')}export const add = (a, b) => a + b`],
    ['a package without a type', 'plain/tools.ts', `${documented()}export function add(a: number, b: number) {}`],
  ])('makes tools of %s, by import and by require', async (_what, file, text) => {
    using app = temporaryApp({
      'tsconfig.json': lean,
      'plain/package.json': '{}',
      'print.mjs': print,
      [file]: text,
      'app.mjs': `import { print } from './print.mjs'\nimport { add } from './${file}'\nprint(add)`,
      'app.cjs': `const { add } = require('./${file}')\nconst { print } = require('./print.mjs')\nprint(add)`,
    })
    const runs = [await app.run('app.mjs'), await app.run('app.cjs')]
    expect(runs.map(({ output }) => output)).toEqual([`${numbers}\ncompiled`, numbers])
  })

  it('makes tools of methods, fields, objects and default exports', async () => {
    using app = temporaryApp({
      'tsconfig.json': lean,
      'print.mjs': print,
      'calculator.ts': `
        export class Calculator {
          base = 1
          ${documented()} plus(a: number, b: number) { return this.base + a + b }
          ${documented()} minus = (a: number, b: number) => this.base - a - b
          ${documented()} static times(a: number, b: number) { return a * b }
        }
        export const tools = {
          ${documented()} by(a: number, b: number) { return a / b } }
        ${documented()} export default (a: number, b: number) => a ** b`,
      'app.ts': `
        import { print } from './print.mjs'
        import power, { Calculator, tools } from './calculator.ts'
        const calculator = new Calculator()
        print(calculator.plus.bind(calculator), calculator.minus, Calculator.times, tools.by, power)`,
    })
    expect(await app.run('app.ts')).toEqual(printed(...Array<string>(5).fill(numbers), 'compiled'))
  })

  it('changes no line and no name in an error', async () => {
    using app = temporaryApp({
      'app.ts': `// The first line.
class Thing { static fail() { throw new Error('in a method') } }
export default function () { throw new Error('in a default export') }
const arrow = (): never => { throw new Error('in an arrow function') }
function declared(): never { throw new Error('in a function') }
import { default as anonymous } from './app.ts'
for (const each of [Thing.fail, anonymous, arrow, declared]) {
  try { each() } catch ({ stack }: any) { console.log(stack.split('\\n')[1].replace(/:\\d+\\)/, ')')) }
}`,
    })
    const { output } = await app.run('app.ts')
    expect(output.split('\n')).toHaveLength(4)
    expect(output).toMatch(/ default .*app\.ts:3\)/)
    expect(output).toBe((await app.runPlain('app.ts')).output)
  })

  it('reports a function that cannot be a tool where it is used as one, and not before', async () => {
    using app = temporaryApp({
      'tsconfig.json': lean,
      'print.mjs': print,
      'tools.ts': '\n\nexport function watch(onChange: () => void) {}\nexport function other(a: symbol) {}',
      'app.ts': `
        import { print } from './print.mjs'
        import { watch } from './tools.ts'
        try { print(watch) } catch (error) { console.log(error.code, error.message) }`,
    })
    const expected = expect.stringMatching(/^invalid-argument tools\.ts:3: watch .*"onChange"/)
    expect(await app.run('app.ts')).toMatchObject({ output: expected, exitCode: 0 })
    expect(await app.run('app.ts')).toMatchObject({ output: expected, exitCode: 0 })
  })

  it('warns on standard error of types that the model does not receive, also at the next start', async () => {
    using app = temporaryApp({
      'tsconfig.json': lean,
      'print.mjs': print,
      'tools.ts': '/** Looks up a word. */\nexport function lookUp(word: string) {}',
      'app.ts': `import { print } from './print.mjs'\nimport { lookUp } from './tools.ts'\nprint(lookUp, lookUp)`,
    })
    const warning = expect.stringMatching(/^tools\.ts:2: .*"word".*$/)
    expect(await app.run('app.ts')).toMatchObject({ errors: warning })
    expect(await app.run('app.ts')).toMatchObject({ errors: warning, output: expect.not.stringContaining('compiled') })
  })

  it('reads files that import each other', async () => {
    using app = weatherApp({
      'tools.ts': `import './app.ts'\n${tools}`,
      'types.ts': `import type {} from './tools.ts'\n${types}`,
    })
    expect(await app.run('app.ts')).toEqual(printed(placeSchema('string'), numbers, 'compiled'))
  })

  it('reads files that are imported later, and in other threads', async () => {
    using app = weatherApp({
      'later.ts': `
        import { Worker } from 'node:worker_threads'
        setTimeout(async () => {
          await import('./app.ts')
          new Worker('./app.ts')
        })`,
    })
    const { output, ...others } = await app.run('later.ts')
    // Whether the thread finds in the cache what was compiled before it depends on when that is written.
    const printedLines = output.split('\n').filter((line) => line !== 'compiled')
    const lines = [placeSchema('string'), numbers]
    expect({ output: printedLines.join('\n'), ...others }).toEqual(printed(...lines, ...lines))
  })

  it('leaves installed packages as they are', async () => {
    using app = temporaryApp({
      'print.mjs': print,
      'node_modules/math/package.json': '{ "type": "module", "exports": "./index.js" }',
      'node_modules/math/index.js': 'export function add(a, b) { return a + b }',
      'app.ts': `import { print } from './print.mjs'\nimport { add } from 'math'\nprint(add)`,
    })
    const { errors, exitCode } = await app.run('app.ts')
    expect(exitCode).toBe(1)
    expect(errors).toContain('"add" carries no schema')
  })

  it('lets installed CommonJS require ES modules', async () => {
    using app = temporaryApp({
      'node_modules/common/package.json': '{ "exports": "./index.js" }',
      'node_modules/common/index.js': "module.exports = require('./module.mjs').name",
      'node_modules/common/module.mjs': "import { tool } from '@agentkit/core'\nexport const { name } = tool",
      'app.mjs': "import name from 'common'\nconsole.log(name)",
    })
    expect(await app.run('app.mjs')).toEqual(printed('tool'))
  })

  it('lets Node report files that cannot be parsed', async () => {
    using app = temporaryApp({ 'app.mjs': 'export function f() {}\nexport function (' })
    const { errors } = await app.run('app.mjs')
    expect(errors).toContain('SyntaxError')
    expect(errors).toBe((await app.runPlain('app.mjs')).errors)
  })

  it('may be registered twice', async () => {
    using app = weatherApp()
    const twice = `${new URL('../dist/register.js', import.meta.url)}?again`
    expect(await app.run('app.ts', '--import', twice)).toEqual(printed(placeSchema('string'), numbers, 'compiled'))
  })

  it('takes the ts-morph of the app where this package does not see it', async () => {
    using app = weatherApp({
      'absent.cjs': withoutTsMorph("parent.filename.includes('functions')"),
      'node_modules/ts-morph/package.json': '{ "version": "1.0.0", "main": "index.cjs" }',
      'node_modules/ts-morph/index.cjs': `module.exports = require(${JSON.stringify(fileURLToPath(import.meta.resolve('ts-morph')))})`,
    })
    const outcome = await app.run('app.ts', '--require', './absent.cjs')
    expect(outcome).toEqual(printed(placeSchema('string'), numbers, 'compiled'))
  })

  it.each([
    ['this package sees', withoutTsMorph("parent.filename.includes('functions')", 'ERR_BROKEN'), {}],
    [
      'the app has',
      withoutTsMorph("parent.filename.includes('functions')"),
      { 'node_modules/ts-morph/index.js': "throw Object.assign(new Error(), { code: 'ERR_BROKEN' })" },
    ],
  ])('says why the ts-morph that %s cannot be loaded', async (_what, patch, files) => {
    using app = weatherApp({ 'patch.cjs': patch, ...files })
    const { errors } = await app.run('app.ts', '--require', './patch.cjs')
    expect(errors).toContain('ERR_BROKEN')
    expect(errors).not.toContain('missing-package')
  })

  describe('without ts-morph', () => {
    it('names the package to install where a plain function is used as a tool', async () => {
      using app = weatherApp({ 'absent.cjs': withoutTsMorph('true') })
      const { output, errors, exitCode } = await app.run('app.ts', '--require', './absent.cjs')
      expect({ output, exitCode }).toEqual({ output: '', exitCode: 1 })
      expect(errors).toContain('missing-package')
      expect(errors).toContain('npm i -D ts-morph')
      expect(errors).toContain('agentkit tools build')
    })

    it('runs apps whose functions are no tools, and tools that are made by hand', async () => {
      using app = temporaryApp({
        'absent.cjs': withoutTsMorph('true'),
        'app.ts': `
          import { tool, toolFromFunction, toolOfFunction } from '@agentkit/core'
          const byHand: any = (): number => 1
          byHand[toolOfFunction] = tool({ name: 'byHand', description: '', input: { type: 'object' }, execute: byHand })
          console.log(byHand(), toolFromFunction(byHand).name, Object.keys(byHand))`,
      })
      const outcome = await app.run('app.ts', '--require', './absent.cjs')
      expect(outcome).toEqual({ output: '1 byHand []', errors: '', exitCode: 0 })
    })
  })
})

function weatherApp(files: Record<string, string> = {}): TemporaryApp {
  return temporaryApp({
    'tsconfig.json': lean,
    'print.mjs': print,
    'tools.ts': tools,
    'types.ts': types,
    'app.ts': "import { print } from './print.mjs'\nimport { add, weather } from './tools.ts'\nprint(weather, add)",
    ...files,
  })
}

/** Makes ts-morph look missing to importers for which the condition holds. */
function withoutTsMorph(condition: string, code = 'MODULE_NOT_FOUND'): string {
  return `
    const Module = require('node:module')
    const find = Module._resolveFilename
    Module._resolveFilename = function (request, parent, ...rest) {
      if (!request.startsWith('ts-morph') || !(${condition})) return find.call(this, request, parent, ...rest)
      throw Object.assign(new Error('absent'), { code: '${code}' })
    }`
}

function documented(type?: string): string {
  const typed = type === undefined ? '' : `{${type}} `
  return `/** Adds.\n * @param ${typed}a One.\n * @param ${typed}b The other.\n */\n`
}

function printed(...lines: string[]): Outcome {
  return { output: lines.join('\n'), errors: '', exitCode: 0 }
}
