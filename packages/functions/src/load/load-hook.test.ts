import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { LoadFnOutput } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Insertion } from '../compiler/insert-attachments.ts'
import { createLoadHook } from './load-hook.ts'

const text = 'export const f = () => 1'
const plan: Insertion[] = [{ at: text.length, form: 'statement', call: { index: 0, reference: 'f' } }]

describe('createLoadHook', () => {
  it.each(['module', 'module-typescript', 'commonjs', 'commonjs-typescript', 'typescript'])(
    'adds calls to a %s',
    (format) => {
      const loaded = load({ format, source: text })
      expect(loaded.source).toBe(`${text};globalThis["agentkit.attachTool"]?.("file:///app/a.js?v=1",0,f);`)
      expect(loaded.format).toBe(format)
    },
  )

  it('names the file by its URL, and reads it by its path', () => {
    const planned: string[] = []
    load({ source: text, planned })
    expect(planned).toEqual(['file:///app/a.js?v=1', '/app/a.js', text])
  })

  it.each([
    ['bytes', new TextEncoder().encode(text)],
    ['a buffer', Buffer.from(text)],
    ['an array of bytes', Uint8Array.from(Buffer.from(text)).buffer],
  ])('reads %s', (_what, source) => {
    expect(load({ source }).source).toMatch(/^export const f = .*,0,f\);$/)
  })

  it('counts a byte order mark as a part of the text', () => {
    const planned: string[] = []
    load({ source: Buffer.from(`\uFEFF${text}`), planned })
    expect(planned[2]).toBe(`\uFEFF${text}`)
  })

  it.each([
    ['of an installed package', { url: 'file:///app/node_modules/a/index.js' }],
    ['of Node', { url: 'node:fs', format: 'builtin' }],
    ['that is not a file', { url: 'data:text/javascript,1' }],
    ['of JSON', { format: 'json' }],
    ['without text', { source: undefined }],
    ['that cannot have functions', { source: 'export type A = { a: 1 }\nexport const b = [1, 2]' }],
  ])('leaves a module %s alone', (_what, module) => {
    const planned: string[] = []
    const given = { source: text, ...module }
    expect(load({ ...given, planned }).source).toBe(given.source)
    expect(planned).toEqual([])
  })

  it.each(['22.18.0', '22.22.9', '23.11.0', '24.14.1', '25.2.0'])(
    'leaves imported CommonJS to require, installed or not, where Node %s would limit that',
    (nodeVersion) => {
      for (const url of ['file:///app/a.cjs', 'file:///app/node_modules/a/index.js']) {
        const commonJs = { url, format: 'commonjs', source: text, nodeVersion }
        expect(load({ ...commonJs, conditions: ['import'] })).toMatchObject({ format: 'commonjs-sync' })
        expect(load({ ...commonJs, conditions: ['require'] })).toMatchObject({ format: 'commonjs' })
      }
      const typed = { url: 'file:///app/a.cts', format: 'commonjs-typescript', source: text, nodeVersion }
      expect(load({ ...typed, conditions: ['import'] })).toMatchObject({ format: 'commonjs-sync' })
      expect(load({ source: text, nodeVersion, conditions: ['import'] })).toMatchObject({ format: 'module' })
    },
  )

  describe('in a package of "type": "commonjs", which npm init writes', () => {
    const folder = mkdtempSync(join(tmpdir(), 'agentkit-commonjs-'))
    const url = (name: string): string => pathToFileURL(join(folder, name)).href
    beforeAll(() => writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }'))
    afterAll(() => rmSync(folder, { recursive: true }))
    const module = "import { a } from 'b'\nconst c = a"

    it.each([
      ['commonjs-typescript', 'a.ts', 'module-typescript'],
      ['commonjs', 'a.js', 'module'],
    ])('loads module syntax as a module: %s', (format, name, expected) => {
      for (const source of [module, 'const { url } = import.meta\nconst f = () => url']) {
        expect(load({ url: url(name), format, source, conditions: ['import'] }).format).toBe(expected)
      }
    })

    it.each([
      ['exports', 'module.exports = { f: 1 }'],
      ['a call of require', "const { a } = require('b')\nconst c = a"],
      ['a text with words of a module', 'const f = `\nexport const a = 1`\nmodule.exports = { f }'],
      ['a dynamic import', "const f = import('b')"],
    ])('leaves CommonJS with %s', (_what, source) => {
      const commonjs = { url: url('a.js'), format: 'commonjs', source, conditions: ['import'] }
      expect(load(commonjs).format).toBe('commonjs')
    })

    it('leaves files alone that are required, named as CommonJS, or installed', () => {
      const given = { format: 'commonjs', source: module, conditions: ['import'] }
      expect(load({ ...given, url: url('a.js'), conditions: ['require'] }).format).toBe('commonjs')
      expect(load({ ...given, url: url('a.cjs') }).format).toBe('commonjs')
      expect(load({ ...given, url: url('node_modules/b/a.js') }).format).toBe('commonjs')
    })
  })

  it.each(['22.23.0', '24.15.0', '26.0.0'])('leaves nothing to require where Node is %s', (nodeVersion) => {
    const commonJs = { format: 'commonjs', source: text, nodeVersion, conditions: ['import'] }
    expect(load(commonJs)).toMatchObject({ format: 'commonjs', source: expect.stringContaining('attachTool') })
  })

  it('warns of a file whose types another loader has removed, and leaves it alone', () => {
    const url = import.meta.url
    const planned: string[] = []
    expect(load({ url, source: text, planned }).source).toBe(text)
    expect(planned).toEqual([expect.stringMatching(/removed the types of .*load-hook\.test\.ts.*Name agentkit first/)])
  })

  it('takes a file with its types from another loader', () => {
    const source = readFileSync(import.meta.filename, 'utf8')
    const planned: string[] = []
    load({ url: import.meta.url, source, planned })
    expect(planned).toEqual([import.meta.url, import.meta.filename, source])
  })

  it.each([
    ['a declaration', 'function f() {}'],
    ['an arrow function', 'const f = (a) => a'],
    ['a class', 'class A { f(){} }'],
    ['a method', 'export const tools = { f() { return 1 } }'],
    ['a method with a type', 'export const tools = { f(): number { return 1 } }'],
  ])('reads a file for %s', (_what, source) => {
    const planned: string[] = []
    load({ source, planned })
    expect(planned).toContain(source)
  })
})

type Module = {
  url?: string
  format?: string
  source: string | ArrayBuffer | Uint8Array | undefined
  /** Gets what the hook asks for. */
  planned?: string[]
  nodeVersion?: string
  conditions?: string[]
}

/** Calls the hook as Node does. */
function load(module: Module): LoadFnOutput {
  const { url = 'file:///app/a.js?v=1', format = 'module', source, planned = [], conditions = [] } = module
  const hook = createLoadHook(
    {
      plan(...asked) {
        planned.push(...asked)
        return plan
      },
    },
    (warning) => planned.push(warning),
    module.nodeVersion ?? '26.0.0',
  )
  const loaded = { format, source, shortCircuit: true }
  return hook(url, { conditions, format, importAttributes: {} }, () => loaded)
}
