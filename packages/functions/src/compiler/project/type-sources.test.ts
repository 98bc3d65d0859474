import { describe, expect, it } from 'vitest'
import { loadTsMorph } from '../scope/load-ts-morph.ts'
import { type TypeSources, typeSources } from './type-sources.ts'

const { ts } = loadTsMorph()

describe('typeSources', () => {
  it.each([
    ["a parameter's type", "import { A } from 'a'\nfunction f(a: A) {}"],
    ['a type in a type', "import type { A } from 'a'\ntype B = { list: A[] }"],
    ['a base', "import { A } from 'a'\ninterface B extends A {}"],
    ['a type argument of a base', "import { A } from 'a'\ninterface B extends Array<A> {}"],
    ['a namespace', "import * as a from 'a'\nfunction f(b: a.B) {}"],
    ['a default', "import A from 'a'\nfunction f(a: A) {}"],
    ['a default value', "import { a } from 'a'\nfunction f(b = a.c) {}"],
    ['the type of a variable', "import { a } from 'a'\nfunction f(b: typeof a) {}"],
    ['what a variable is made of', "import { a } from 'a'\nconst b = a()\ntype C = typeof b"],
    ['what is destructured', "import { a } from 'a'\nconst { b: [c] } = a()\ntype D = typeof c"],
    ['a way over two variables', "import { a } from 'a'\nconst b = () => a()\nconst c = b()\ntype C = typeof c"],
    ["a function's result", "import { a } from 'a'\nfunction b() { return a() }\ntype C = ReturnType<typeof b>"],
    ['an exported variable', "import { a } from 'a'\nexport const b = a()"],
    ["a class's field", "import { A } from 'a'\nclass B { field: A }"],
    ['an import in a type', "function f(a: import('a').A) {}"],
    ['the type of an import', "type A = typeof import('a')"],
    ['an export from there', "export { A } from 'a'"],
    ['an export of everything', "export * from 'a'"],
    ['an assigned import', "import a = require('a')\ntype B = a.B"],
    ['a function in a variable', "import { A } from 'a'\nconst f = ((a: A) => {}) satisfies Function"],
    ['a function in an object', "import { A } from 'a'\nconst b = { c: { f(a: A) {} } } as const"],
    ['a method of a class in a variable', "import { A } from 'a'\nconst B = class { f(a: A) {} }"],
    ['a function in a variable that has a type', "import { A } from 'a'\nexport const f: Function = (a: A) => {}"],
    ['what a function satisfies', "import { A } from 'a'\nconst f = ((b) => {}) satisfies A"],
    ['what functions of an object satisfy', "import { A } from 'a'\nconst b = { c: { f(d) {} } } satisfies A"],
    ['a function that CommonJS exports', "import type { A } from 'a'\nexports.f = function (a: A) {}"],
    ['a default value in a type', "import { A } from 'a'\ntype B<T = A> = T[]"],
  ])('takes a module for %s', (_what, text) => {
    expect(sources(text).modules).toEqual(new Set(['a']))
  })

  it.each([
    ["a function's body", "import { a } from 'a'\nexport function f(b: string): void { a(b) }"],
    ["an arrow function's body", "import { a } from 'a'\nexport const f = (b: string) => a(b)"],
    ["a method's body", "import { a } from 'a'\nexport class B { f(b: string) { a(b) } }"],
    ['a statement', "import { a } from 'a'\na()"],
    ['a variable of the file', "import { a } from 'a'\nconst b = a()"],
    ['a field of an object beside functions', "import { a } from 'a'\nconst b = { c: a(), f: (d: string) => a(d) }"],
    ['the type of a value that is not a function', "import { A } from 'a'\nconst b = c() as A"],
    ['a variable that has a type', "import { a } from 'a'\nexport const b: string = a()\ntype C = typeof b"],
    ['nothing', "import { a } from 'a'"],
    ['its effects, as a package', "import 'a'"],
  ])('leaves out what is imported for %s', (_what, text) => {
    expect(sources(text).modules).toEqual(new Set())
  })

  it("takes the user's own module that is imported for its effects, which may be global types", () => {
    expect(sources("import './globals.ts'").modules).toEqual(new Set(['./globals.ts']))
  })

  it('gives the names of types that the file asks for', () => {
    const text = `
      type A<T> = Map<T, NodeJS.Timeout> | (T extends (infer U)[] ? U : never)
      interface B extends RequestInit {}
      class C implements web.Thing { field: typeof settings.name = 'a' as const }
      function f(a: string, b: typeof a) { const local: Local = a }`
    expect(sources(text).names).toEqual(new Set(['Map', 'NodeJS', 'RequestInit', 'web', 'settings']))
  })

  it('gives the names of types of functions that are not exported', () => {
    expect(sources('const f = (a: Blob, b: Map<string, URL>) => a').names).toEqual(new Set(['Blob', 'Map', 'URL']))
  })

  it.each(['js', 'mjs', 'cjs', 'jsx'])('does not cover .%s, whose types are in comments', (extension) => {
    expect(typeSources(ts, parse("import { a } from 'a'", `file.${extension}`))).toBeUndefined()
  })
})

function sources(text: string): TypeSources {
  return typeSources(ts, parse(text, 'file.ts')) ?? { modules: new Set(), names: new Set(), augmented: new Set() }
}

function parse(text: string, name: string): ReturnType<typeof ts.createSourceFile> {
  return ts.createSourceFile(`/app/${name}`, text, ts.ScriptTarget.ESNext, true)
}
