import { describe, expect, it } from 'vitest'
import { loadTsMorph } from '../scope/load-ts-morph.ts'
import { type FoundFunction, findFunctions } from './find-functions.ts'

const { ts } = loadTsMorph()

describe('findFunctions', () => {
  it.each<{ what: string; text: string; references: string[] }>([
    { what: 'declared functions', text: 'function f() {}\nexport async function g() {}', references: ['f', 'g'] },
    {
      what: 'values of variables',
      text: 'const f = () => 1, g = function () {}\nlet h = async () => 2',
      references: ['f', 'g', 'h'],
    },
    {
      what: 'values in parentheses and assertions',
      text: 'const f = ((a: string) => a) as Tool\nconst g = (() => 1) satisfies Tool\nconst h = <Tool>(() => 1)!',
      references: ['f', 'g', 'h'],
    },
    { what: 'generators', text: 'function* f() {}\nconst g = async function* () {}', references: ['f', 'g'] },
    { what: 'a function as default export', text: 'export default function () {}', references: ['default'] },
    { what: 'a named default export', text: 'export default async function f() {}', references: ['f'] },
    { what: 'an arrow function as default export', text: 'export default (a: string) => a', references: ['default'] },
    {
      what: 'methods of a class',
      text: 'class C { add() {}\n static create() {}\n async *stream() {}\n "add-all"() {} }',
      references: ['C.prototype.add', 'C.create', 'C.prototype.stream', 'C.prototype["add-all"]'],
    },
    {
      what: 'fields of a class that are functions',
      text: 'class C { add = () => 1\n static create = function () {}\n count = 1 }',
      references: ['C#add', 'C.create'],
    },
    {
      what: 'methods of class expressions and default exports',
      text: 'const C = class { add() {} }\nexport default class { sub() {} }',
      references: ['C.prototype.add', 'default.prototype.sub'],
    },
    {
      what: 'functions in object literals, also inside others',
      text: 'const tools = { add() {}, sub: () => 1, "to-text": function () {}, math: { root() {} } } as const',
      references: ['tools.add', 'tools.sub', 'tools["to-text"]', 'tools.math.root'],
    },
    { what: 'an object as default export', text: 'export default { add() {} }', references: ['default.add'] },
    {
      what: 'what CommonJS exports',
      text: 'exports.f = () => 1\nmodule.exports.g = function () {}\nmodule.exports = { add() {} }',
      references: ['exports.f', 'module.exports.g', 'module.exports.add'],
    },
  ])('finds $what', ({ text, references }) => {
    expect(find(text).map(({ reference }) => reference)).toEqual(references)
  })

  it.each([
    ['a function inside a function', 'const a = make(() => () => 1)'],
    ['a function that is only declared', 'declare function f(): void'],
    ['a class that is only declared', 'declare class C { add(): void }'],
    ['an abstract method', 'abstract class C { abstract add(): void }'],
    ['a private method', 'class C { #add() {}\n #field = () => 1 }'],
    ['a constructor', 'class C { constructor() {} }'],
    ['a getter and a setter', 'class C { get add() { return () => 1 }\n set add(value) {} }'],
    ['a getter of an object', 'const tools = { get add() { return () => 1 }, set add(value) {} }'],
    ['a method with a computed name', 'class C { [name]() {}\n [Symbol.iterator]() {} }'],
    ['a property with a computed name', 'const tools = { [name]: () => 1, [a + b]() {} }'],
    ['the prototype of an object', 'const tools = { __proto__: { add() {} } }'],
    ['what is destructured', 'const { add } = { add() {} }'],
    ['an accessor field', 'class C { accessor add = () => 1 }'],
    ['a function in a namespace', 'namespace N { export function f() {} }'],
    ['a function in a block', '{ function f() {} }\nif (a) { const g = () => 1 }'],
    ['`export =`', 'export = function () {}'],
    ['an assignment to something else', 'other.exports = () => 1\nthing.add = () => 1\nexports.list[0] = () => 1'],
    ['nothing', ''],
  ])('finds nothing in %s', (_what, text) => {
    expect(find(text)).toEqual([])
  })

  it.each([
    ['of an object', 'const tools = { add() { return 1 }, add: () => 2 }', '() => 2'],
    ['of a class', 'class C { add() { return 1 }\n add() { return 2 } }', 'add() { return 2 }'],
  ])('takes the last of two methods %s with one name', (_what, text, last) => {
    expect(find(text).map(({ node }) => node.getText())).toEqual([last])
  })

  it.each([
    ['a spread', 'const tools = { add() {}, math: { root() {} }, ...others, sub() {} }'],
    ['a computed name', 'const tools = { add() {}, [name]: other, sub() {} }'],
    ['a getter', 'const tools = { add() {}, get add() { return other }, sub() {} }'],
  ])('leaves out what %s after it may replace', (_what, text) => {
    expect(find(text).map(({ name }) => name)).toEqual(['sub'])
  })

  it('keeps the text before a method of a well-known symbol', () => {
    expect(find('const tools = { add() {}, [Symbol.dispose]() {} }')).toHaveLength(1)
  })

  it.each([
    ['its own', 'const f = function g() {}', 'g'],
    ["its variable's", 'const f = () => 1', 'f'],
    ["its property's", 'const tools = { "add-all": () => 1 }', 'add-all'],
    ["its file's, where it has none", 'export default () => 1', 'getReceiptV2'],
    ["its file's, where CommonJS exports it alone", 'module.exports = () => 1', 'getReceiptV2'],
  ])('names a function by %s', (_what, text, name) => {
    expect(find(text, 'get-receipt_v2.ts')[0]?.name).toBe(name)
  })

  it.each<[string, string, (string[] | undefined)[]]>([
    ['a declaration', 'export function f() {}\nfunction g() {}', [['f'], undefined]],
    ['a variable', 'export const f = () => 1', [['f']]],
    ['a default export', 'export default function f() {}', [['default']]],
    ['a default export by name', 'const f = () => 1\nexport default f', [['default']]],
    ['a list', 'function f() {}\nfunction g() {}\nexport { f, g as h }', [['f'], ['h']]],
    ['a list before the function', 'export { f as "my-tool" }\nfunction f() {}', [['my-tool']]],
    ['a list of types', 'function f() {}\nexport type { f }', [undefined]],
    ['a list of types and values', 'function f() {}\nexport { type f }', [undefined]],
    ['a list of another module', 'function f() {}\nexport { f } from "./other.ts"', [undefined]],
    [
      'a class',
      'export class C { add() {}\n static make() {} }',
      [
        ['C', 'prototype', 'add'],
        ['C', 'make'],
      ],
    ],
    ['a class under another name', 'class C { add() {} }\nexport { C as D }', [['D', 'prototype', 'add']]],
    ['a field of instances', 'export class C { add = () => 1 }', [undefined]],
    ['a private method', 'export class C { private add() {}\n protected sub() {} }', [undefined, undefined]],
    ['an object', 'export const tools = { math: { add() {} } }', [['tools', 'math', 'add']]],
    [
      'CommonJS',
      'function f() {}\nexports.g = () => 1\nmodule.exports.h = f',
      [
        ['default', 'h'],
        ['default', 'g'],
      ],
    ],
    [
      'a CommonJS list',
      'function f() {}\nfunction g() {}\nmodule.exports = { f, h: g }',
      [
        ['default', 'f'],
        ['default', 'h'],
      ],
    ],
    ['a CommonJS module that is a function', 'module.exports = f\nfunction f() {}', [['default']]],
    ['a CommonJS module in TypeScript', 'function f() {}\nexport = f', [['default']]],
    [
      'a CommonJS list in TypeScript',
      'function f() {}\nfunction g() {}\nexport = { f, h: g }',
      [
        ['default', 'f'],
        ['default', 'h'],
      ],
    ],
    ['a function in a default export', 'function f() {}\nexport default { f }', [['default', 'f']]],
    [
      'a function in an exported object',
      'function f() {}\nconst g = () => 1\nexport const tools = { f, h: g } as const',
      [
        ['tools', 'f'],
        ['tools', 'h'],
      ],
    ],
    ['a function that is exported by itself, too', 'export const tools = { f }\nexport function f() {}', [['f']]],
  ])('says how %s is imported', (_what, text, paths) => {
    expect(find(text).map(({ exportPath }) => exportPath)).toEqual(paths)
  })

  it.each([
    ['uses this', 'class C { add() { return this.a } }', 'C'],
    ['uses this in a default value', 'class C { add(a = this.a) {} }', 'C'],
    ['uses this in an arrow function', 'class C { add() { return () => this.a } }', 'C'],
    ['uses super', 'const tools = { add() { return super.toString() } }', 'tools'],
    ['is static and uses this', 'class C { static make() { return new this() } }', 'C'],
    ['is a function in a field', 'class C { add = function () { return this.a } }', 'C'],
    ['is of an inner object', 'const tools = { math: { add() { return this.a } } }', 'tools.math'],
    ['is of a class without a name', 'export default class { add() { return this.a } }', 'file'],
  ])('says whose method it is when it %s', (_what, text, owner) => {
    expect(find(text)[0]?.methodOf).toBe(owner)
  })

  it.each([
    ['uses no this', 'class C { add() { return 1 } }'],
    ['uses this in a function of its own', 'class C { add() { return function () { return this.a } } }'],
    ['uses this in a class of its own', 'class C { add() { return class { a = this } } }'],
    ['uses this as a type', 'class C { add(other: this): this { return other } }'],
    ['is an arrow function', 'class C { add = () => this.a }'],
    ['is no method', 'function f() { return this }'],
  ])('says of none whose method it is when it %s', (_what, text) => {
    expect(find(text)[0]).not.toHaveProperty('methodOf')
  })

  it('gives the overloads of a function', () => {
    const [found] = find('function f(a: string): void\nfunction f(a: number): void\nfunction f(a: unknown) {}')
    expect(texts(found?.overloads)).toEqual(['function f(a: string): void', 'function f(a: number): void'])
    expect(found?.node.getText()).toBe('function f(a: unknown) {}')
  })

  it('gives the overloads of a method, not those of another', () => {
    const found = find('class C { add(a: string): void\n add(a: unknown) {}\n static sub(): void\n static sub() {} }')
    expect(found.map(({ overloads }) => texts(overloads))).toEqual([['add(a: string): void'], ['static sub(): void']])
  })

  it('gives the line, counted from 1, and the place of the comment', () => {
    const [first, second] = find('\n/** One. */\nexport const f = () => 1\nclass C {\n  /** Two. */\n  add() {}\n}')
    expect([first?.line, second?.line]).toEqual([3, 6])
    expect([first, second].map((each) => each && ts.getJSDocCommentsAndTags(each.documented)[0]?.comment)).toEqual([
      'One.',
      'Two.',
    ])
  })

  it('gives each of several variables its own comment', () => {
    const found = find('const /** One. */ f = () => 1,\n  /** Two. */ g = () => 2')
    expect(found.map(({ documented }) => ts.getJSDocCommentsAndTags(documented)[0]?.comment)).toEqual(['One.', 'Two.'])
  })
})

function find(text: string, name = 'file.ts'): FoundFunction[] {
  return findFunctions(ts, ts.createSourceFile(`/app/${name}`, text, ts.ScriptTarget.ESNext, true))
}

function texts(nodes: readonly { getText(): string }[] = []): string[] {
  return nodes.map((node) => node.getText())
}
