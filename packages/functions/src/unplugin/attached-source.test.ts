import { join } from 'node:path'
import { AgentKitError } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { openProject } from '../compiler/project/project.ts'
import { attachedSource } from './attached-source.ts'

describe('attachedSource', () => {
  it('leaves each line where it was, directives before all code, and imports at the end', () => {
    const text = `'use client'\nimport { join } from 'node:path'\n\n${documented}export function f(a: string): string {\n  return join(a)\n}\n`
    const lines = attach(text).code.split('\n')
    const before = text.split('\n')
    expect(lines[0]).toBe("'use client'")
    expect(lines[1]).toMatch(/;import \{ join \} from 'node:path'$/)
    expect(lines.slice(2, before.length - 1)).toEqual(before.slice(2, -1))
    expect(lines.slice(before.length - 1)).toEqual([
      expect.stringMatching(/^import \{ attachTool as agentkitAttach/),
      '',
    ])
  })

  it('imports after a comment that ends the file', () => {
    expect(attach(`${exported} // the end`).code).toMatch(/ \/\/ the end\nimport /)
  })

  it('imports by the way to this package, not by its name or where it is on this machine', () => {
    const { code } = attach(exported, 'deep/er/file.ts')
    expect(code).toContain('from "../../../index.ts"')
    expect(attach(exported, '../file.ts').code).toContain('from "./index.ts"')
    expect(code).toMatch(/from "(\.\.\/)+core\/src\/index\.ts"/)
  })

  it('takes names that the file does not use', () => {
    const { code } = attach(`const agentkitAttachTool = 1, agentkitAttachTool_ = 2, agentkitError = 3\n${exported}`)
    expect(code).toContain('import { attachTool as agentkitAttachTool__ }')
    expect(code).toContain('import { AgentKitError as agentkitError_ }')
    expect(code).toContain('agentkitAttachTool__(f,')
  })

  it.each(['module.exports = { f }', 'exports.f = f', 'const fs = require("node:fs")'])(
    'makes no module of a file that is none: %s',
    (line) => {
      const { code } = attach(`${exported.replace('export ', '')}\n${line}\n`, 'common.js')
      expect(code).toMatch(/require\("\.\.\/index\.ts"\)\.attachTool\(f,\(\)=>\(\{"name":"f"/)
      expect(code).not.toContain('import ')
    },
  )

  it.each(['import "./a.js"', 'export {}', 'export * from "./a.js"', 'export default 1', 'export const a = 1'])(
    'takes a file for a module by %s',
    (line) => {
      const { code } = attach(`${line}\n${exported.replace('export ', '')}\nglobalThis.require?.("a")`)
      expect(code).toContain('\nimport { attachTool as agentkitAttachTool }')
    },
  )

  it('takes a file for a module that shows no sign of either', () => {
    expect(attach('function f() {}\nf()\n').code).toContain('\nimport { attachTool as agentkitAttachTool }')
  })

  it.each(['', 'export const one = 1\n', 'export function f() {}\nconst = 3\n'])('leaves %j as it is', (text) => {
    expect(attach(text)).toEqual({ code: text, problems: [], warnings: [] })
  })

  it('keeps a property that is named __proto__', () => {
    const { code } = attach(
      `${documented}export function f(a: { __proto__: string; 'x"__proto__': 'a"__proto__":' }) {}`,
    )
    const [, literal = ''] = /\(\)=>(\(.*?\))\);/.exec(code) ?? []
    // Evaluates the source that the tested compiler has just written.
    const { inputSchema } = new Function(`return ${literal}`)()
    expect(Object.keys(inputSchema.properties.a.properties)).toEqual(['__proto__', 'x"__proto__'])
  })

  it('reports the problems and warnings of exports that are not tagged as internal', () => {
    const { problems, warnings } = attach(`
      export function one(a: symbol) {}
      export class Two { three = 1; four(b: bigint) {} }
      /** @ignore */
      export class Five { six(c: symbol) {} }
      /** @internal */
      export const seven = (d: symbol) => d
      const eight = (e: symbol, undocumented: number) => e
      export const nine = (f: string) => eight
    `)
    expect(problems).toEqual([
      expect.stringContaining('file.ts:2: one cannot'),
      expect.stringContaining('file.ts:3: four cannot'),
    ])
    expect(warnings.join('\n')).toMatch(/nine has no description.*\n.*nine does not say what "f"/)
    expect(warnings).toHaveLength(2)
  })

  it('throws errors that are not problems of a function', () => {
    const path = join(import.meta.dirname, 'file.ts')
    const project = openProject([path], { lib: 'small' })
    const file = project.sourceFile(path, exported)
    for (const error of [new Error('The checker is broken.'), new AgentKitError('missing-package', 'No checker.')]) {
      const fail = () => {
        throw error
      }
      expect(() => attachedSource(file, Object.create(project, { checker: { get: fail } }))).toThrow(error)
    }
  })
})

const documented = '/**\n * Does it.\n * @param a What.\n */\n'
const exported = `${documented.replaceAll('\n', ' ')}export function f(a: string) { return a }`

function attach(text: string, name = 'file.ts') {
  const path = join(import.meta.dirname, name)
  const project = openProject([path], { lib: 'small' })
  return attachedSource(project.sourceFile(path, text), project)
}
