import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryApp } from '../__fixtures__/temporary-app.ts'
import { planAttachments } from './attachments.ts'
import { findFunctions } from './find/find-functions.ts'
import { insertAttachments, insertedText, isPlan } from './insert-attachments.ts'
import { loadTsMorph } from './scope/load-ts-morph.ts'

const { ts } = loadTsMorph()

/** Each function has its name in quotes, and `check` returns whether one carries its tool already. */
const cases: { what: string; text: string; file?: string }[] = [
  { what: 'a declared function', text: "check(f)\nfunction f() { return 'f' }" },
  { what: 'an exported function', text: "import 'node:fs'\ncheck(f)\nexport async function f() { return 'f' }" },
  {
    what: 'a generator',
    text: "export function* f() { yield 'f' }\nexport const g = async function* () { yield 'g' }",
  },
  { what: 'a variable', text: "const f = () => 'f'\ncheck(f)" },
  { what: 'a variable before a comment', text: "const f = () => { return 'f' } // over /* and\ncheck(f)" },
  { what: 'a variable before a bracket', text: "const f = () => { return 'f' }\n;[f].forEach(check)" },
  { what: 'a variable that the end of a line ends', text: "const f = () => { return 'f' }\n(check)(f)" },
  { what: 'variables on one line', text: "const f = () => 'f'; const g = () => 'g'; check(f); check(g)" },
  { what: 'variables of one statement', text: "const f = () => 'f', a = check(f),\n  g = () => 'g' // last\ncheck(g)" },
  {
    what: 'a variable that is exported',
    text: "export const f = () => 'f'\nexport let g = function () { return 'g' }",
  },
  { what: 'the last line', text: "const f = () => 'f'" },
  { what: 'an arrow function as default export', text: "export default (a) => ('f', a)\n/* after */" },
  { what: 'a default export in parentheses', text: "export default (function () { return 'f' }) // ;\n;[].at(0)" },
  { what: 'a default export before a parenthesis', text: "export default () => { return 'f' }\n(() => {})()" },
  { what: 'an asynchronous default export', text: "export default async function () { return 'f' }" },
  { what: 'a generator as default export', text: "export default function* /* none */ () { yield 'f' }" },
  { what: 'a named default export', text: "check(f)\nexport default function f() { return 'f' }" },
  {
    what: 'a default export in TypeScript',
    text: "export default function <T>(a: T): T { 'f'; return a }",
    file: 'a.ts',
  },
  { what: 'an object as default export', text: "export default { f() { return 'f' }, g: () => 'g' };" },
  { what: 'a class as default export', text: "export default class { f() { return 'f' } static g() { return 'g' } }" },
  {
    what: 'a class',
    text: `class C {
  static first = check(C.g)
  #private() { return 'no' }
  f() { return 'f' } g = () => 'g'
  static g() { return 'static g' }
  h = () => { return 'h' } // no semicolon
  [Symbol.iterator]() {}
  static i = () => 'i'
  static { check(C.i) }
  'j-k'() { return 'jk' }
}
const { g, h } = new C()
check(g)
check(h)
check(C.prototype.f)
check(C.prototype['j-k'])`,
  },
  {
    what: 'a class without a line break',
    text: "class C extends class {} { f() { return 'f' } } check(C.prototype.f)",
  },
  { what: 'a class in parentheses', text: "export default (class { f() { return 'f' } })" },
  { what: 'a class expression', text: "const C = class { static f() { return 'f' } g() { return 'g' } }\ncheck(C.f)" },
  {
    what: 'an object',
    text: "const tools = { f() { return 'f' }, 'g-h': () => 'gh', inner: { i: async () => 'i' } }\ncheck(tools.inner.i)",
  },
  {
    what: 'TypeScript',
    text: `import type { Dirent } from 'node:fs'
/** Commented. */
export function f(a: string): void
export function f(a: string | number): void { 'f' }
export const g = (async (a: Dirent): Promise<string> => 'g') satisfies Function
export const tools = { h(this: void, a?: number): string { return 'h' } } as const
export abstract class C<T> {
  declare readonly value: T
  abstract i(): void
  j(a: T): T { 'j'; return a }
  private readonly k = (a: T): string => 'k'
}
new (class extends C<string> { i() {} })()
declare function none(): void
check(g as unknown)
check(tools.h)`,
    file: 'a.ts',
  },
  { what: 'CommonJS in TypeScript', text: "export function f(a: string) { return 'f' }\ncheck(f)", file: 'a.mts' },
  {
    what: 'strict CommonJS',
    text: "'use strict'\ncheck(f)\nfunction f() { return 'f' }\nif (isSloppy()) throw 1\nfunction isSloppy() { return this, 'isSloppy', this !== undefined }",
    file: 'a.cjs',
  },
  { what: 'directives on one line', text: "'use strict'; \"other\"; function f() { return 'f' }", file: 'a.cjs' },
  { what: 'what CommonJS exports', text: "exports.f = () => 'f'\ncheck(exports.f)\nexports.a = 1", file: 'a.cjs' },
  {
    what: 'a CommonJS module',
    text: "module.exports = { f() { return 'f' } }\ncheck(module.exports.f)",
    file: 'a.cjs',
  },
  { what: 'a CommonJS module that is a function', text: "module.exports = function () { return 'f' }", file: 'a.cjs' },
  { what: 'a shebang', text: "#!/usr/bin/env node\nfunction f() { return 'f' }\ncheck(f)" },
  {
    what: 'a shebang, directives and comments',
    text: "#!/bin/sh\n// a\n'use strict' // b\n\nfunction f() { return 'f' }",
  },
  { what: 'a byte order mark', text: "\uFEFF// first\nconst f = () => 'f'\ncheck(f)" },
  { what: 'Windows lines', text: "// first\r\nconst f = () => 'f'\r\ncheck(f)\r\nfunction g() { return 'g' }\r\n" },
  { what: 'characters of two units', text: "const emoji = '👍🏽'.length; const f = () => 'f'\ncheck(f)" },
  { what: 'names of its own', text: "const Symbol = 1, Object = 2, value = 3\nexport default () => 'f'" },
  { what: 'names of its own beside a function', text: "const Object = 2\nexport default function () { return 'f' }" },
  { what: 'a taken name', text: "const agentkitDefault = 1\nexport default function () { return 'f' }" },
]

const rows = cases.map((each, index) => {
  const [, extension = 'mjs'] = /\.(\w+)$/.exec(each.file ?? '') ?? []
  const file = `case-${index}.${extension}`
  const source = ts.createSourceFile(`/${file}`, each.text, ts.ScriptTarget.ESNext, true)
  const found = findFunctions(ts, source)
  const plan = planAttachments(ts, source, found)
  const call = (place: number, reference: string): string => `globalThis.attach(${place},${reference})`
  return { ...each, file, found, changed: insertAttachments(each.text, plan, call), plan }
})

type Ran = { attached: [number, string][]; unready: number; error?: string }

describe('insertAttachments', () => {
  let ran: Record<string, Ran>

  beforeAll(async () => {
    const files = rows.map(({ file, changed }) => [file, changed])
    using app = temporaryApp({ ...Object.fromEntries(files), 'main.mjs': runner })
    const { output, errors } = await app.runPlain('main.mjs')
    expect(errors).toBe('')
    ran = JSON.parse(output)
  })

  it.each(rows)('attaches every function of $what, before it can be used', ({ file, found }) => {
    const expected = found.map(({ node }, index) => [index, markOf(node.getText())])
    const { attached, unready, error } = ran[file] ?? {}
    expect(error).toBeUndefined()
    expect(found).not.toHaveLength(0)
    expect(attached?.toSorted(([left], [right]) => left - right)).toEqual(expected)
    expect(unready).toBe(0)
  })

  it.each(rows)('keeps the text and the lines of $what', ({ text, changed, plan }) => {
    const inserted = plan
      .map(insertedText)
      .map(({ before, after, call }) => before + (call ? call.reference : '') + after)
    expect(inserted.join('')).not.toMatch(/[\n\r]/)
    expect(changed.split('\n')).toHaveLength(text.split('\n').length)
    expect(withoutInsertions(changed, plan)).toBe(text)
  })

  it.each(rows)('plans $what by places and names alone', ({ text, plan }) => {
    expect(isPlan(JSON.parse(JSON.stringify(plan)), text)).toBe(true)
  })

  it('keeps the name of a default export that has none', async () => {
    using app = temporaryApp({
      'function.mjs': changedText('export default function () {}'),
      'arrow.mjs': changedText('export default () => {}'),
      'main.mjs': `
        globalThis.attach = () => {}
        const modules = [await import('./function.mjs'), await import('./arrow.mjs')]
        console.log(modules.map((module) => module.default.name).join())`,
    })
    expect(await app.runPlain('main.mjs')).toMatchObject({ output: 'default,default' })
  })

  it.each([
    ['a directive', "'use strict'\nfunction f() {}", "'use strict'\n;(attach)(f);function f() {}"],
    ['a variable', 'const f = () => {}\nuse(f)', 'const f = () => {};(attach)(f);\nuse(f)'],
  ])('keeps a call that begins with a bracket apart from %s', (_what, text, changed) => {
    expect(changedText(text, (reference) => `(attach)(${reference})`)).toBe(changed)
  })

  it('leaves a file without functions as it is', () => {
    expect(changedText('export const a = 1\n')).toBe('export const a = 1\n')
    expect(changedText('')).toBe('')
  })
})

const runner = `
import { readdirSync } from 'node:fs'
const ran = {}
for (const file of readdirSync('.').filter((name) => name.startsWith('case-'))) {
  const carriers = new Set()
  const state = (ran[file] = { attached: [], unready: 0 })
  globalThis.attach = (index, f) => {
    carriers.add(f)
    state.attached.push([index, (${markOf})(String(f))])
  }
  globalThis.check = (f) => {
    if (!carriers.has(f)) state.unready++
  }
  await import('./' + file).catch((error) => { state.error = String(error) })
}
console.log(JSON.stringify(ran))
`

function markOf(text: string): string | undefined {
  return /'([^']+)'/.exec(text)?.[1]
}

function changedText(text: string, call = (reference: string): string => `attach(${reference})`): string {
  const source = ts.createSourceFile('/file.mjs', text, ts.ScriptTarget.ESNext, true)
  const plan = planAttachments(ts, source, findFunctions(ts, source))
  return insertAttachments(text, plan, (_index, reference) => call(reference))
}

function withoutInsertions(changed: string, plan: ReturnType<typeof planAttachments>): string {
  let text = changed
  for (const insertion of plan) {
    const { at } = insertion
    const { before, call, after } = insertedText(insertion)
    const inserted = before + (call ? `globalThis.attach(${call.index},${call.reference})` : '') + after
    expect(text.slice(at, at + inserted.length)).toBe(inserted)
    text = text.slice(0, at) + text.slice(at + inserted.length)
  }
  return text
}
