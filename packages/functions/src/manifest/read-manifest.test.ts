import { describe, expect, it } from 'vitest'
import { loadTsMorph } from '../compiler/scope/load-ts-morph.ts'
import { manifestDifferences } from './compare-manifests.ts'
import { formatManifest } from './format-manifest.ts'
import type { Manifest } from './manifest.ts'
import { readManifest } from './read-manifest.ts'

const { ts } = loadTsMorph()

const manifest: Manifest = {
  header: { file: 'agentkit-tools.ts', patterns: ['**/*.ts'] },
  attachFrom: '@agentkit/functions',
  functions: [
    {
      from: './math.ts',
      path: ['add'],
      compiled: { name: 'add', inputSchema: { type: 'object', properties: { 'b-c': { minimum: -1.5 } } } },
    },
    { from: './chain.ts', path: ['default'], compiled: { name: 'chain', contextIndex: 0 } },
  ],
}
const text = formatManifest(manifest)
const otherModule = 'its patterns or its imports are not those that it would be written with'

describe('readManifest', () => {
  it.each([
    ['with semicolons and other quotes', text.replaceAll("'", '"').replaceAll(/([)"])\n/g, '$1;\n')],
    ['on the lines of Windows', text.replaceAll('\n', '\r\n')],
    ['on fewer lines', text.replaceAll(/\n +/g, ' ')],
    ['with its imports sorted', text.replace(/(import \* as math.*\n)(import \* as chain.*\n)/, '$2$1')],
    ['with quoted names', text.replaceAll(/\bname:/g, "'name':").replace('.default', "['default']")],
    ['with other numbers', text.replace('-1.5', '-1.50').replace('contextIndex: 0', 'contextIndex: 0.0')],
    ['with its calls in another order', formatManifest({ ...manifest, functions: manifest.functions.toReversed() })],
    ['with comments', text.replace('attachTool(', '// Why not?\nattachTool(/* this */ ')],
  ])('reads the same from a text %s', (_, formatted) => {
    expect(formatted).not.toBe(text)
    const read = readManifest(ts, formatted)
    expect(read && manifestDifferences(read, manifest)).toEqual([])
  })

  it.each([
    ['a line of its own', `${text}console.log('hello')\n`],
    ['an import of its own', `import './other.ts'\n${text}`],
    ['a default import', text.replace('* as mathModule', 'extra, * as mathModule')],
    ['an import that only looks like it', text.replace('{ attachTool }', '{ other as attachTool }')],
    ['another import from there', text.replace('{ attachTool }', '{ attachTool, other }')],
    ['a deferred import', text.replace('import * as math', 'import defer * as math')],
    ['no import of attachTool', text.replace(/import \{ attachTool.*\n/, '')],
    ['another call', text.replace('attachTool(math', 'detachTool(math')],
    ['a call of something', text.replace('attachTool(math', 'other.attachTool(math')],
    ['a conditional call', text.replace('attachTool(math', 'attachTool?.(math')],
    ['a conditional reference', text.replace('mathModule.add', 'mathModule?.add')],
    ['a conditional element', text.replace('mathModule.add', "mathModule?.['add']")],
    ['a computed element', text.replace('mathModule.add', 'mathModule[add]')],
    ['a third argument', text.replace('contextIndex: 0 }', 'contextIndex: 0 }, true')],
    ['a missing argument', text.replace(/(attachTool\(chainModule.default).*/, '$1)')],
    ['a reference to a module itself', text.replace('mathModule.add', 'mathModule')],
    ['a reference to no module', text.replace('mathModule.add', 'globalThis.add')],
    ['a call of a reference', text.replace('mathModule.add', 'mathModule.find().add')],
    ['computed data', text.replace('-1.5', '-Number(1)')],
    ['other signs', text.replace('-1.5', '+1.5')],
    ['computed lists', text.replace('-1.5', '[limit]')],
    ['computed names', text.replace("'b-c':", '[name]:')],
    ['spread data', text.replace("'b-c':", '...more, d:')],
    ['a prototype', text.replace("'b-c':", '__proto__:')],
    ['short names', text.replace("'b-c':", 'd, e:')],
    ['a conflict', text.replace('attachTool(', '<<<<<<< ours\nattachTool(')],
    ['no header', text.replace('// agentkit-tools:', '//')],
    ['a broken header', text.replace('{"file"', '"file"')],
    ['a header without patterns', text.replace('"patterns"', '"pattern"')],
  ])('is not fooled by %s', (_, edited) => {
    expect(edited).not.toBe(text)
    expect(readManifest(ts, edited)).toBeUndefined()
  })
})

describe('manifestDifferences', () => {
  const [add, chain] = manifest.functions as [Manifest['functions'][0], Manifest['functions'][0]]

  it.each<[string, Manifest['functions'], string[]]>([
    ['nothing', [add, chain], []],
    ['functions that are new', [add, chain, { ...add, path: ['Sum', 'of'] }], ['new: Sum.of of ./math.ts']],
    ['functions that are gone', [chain], ['gone: add of ./math.ts']],
    ['functions that say something else', [add, { ...chain, compiled: {} }], ['changed: default of ./chain.ts']],
    [
      'functions in another file',
      [add, { ...chain, from: './a.ts' }],
      ['new: default of ./a.ts', 'gone: default of ./chain.ts'],
    ],
    [
      'files of another kind',
      [add, { ...chain, from: './chain.mts' }],
      ['new: default of ./chain.mts', 'gone: default of ./chain.ts'],
    ],
    ['imports that are written otherwise', [add, { ...chain, from: './chain.js' }], [otherModule]],
  ])('names %s', (_, functions, differences) => {
    expect(manifestDifferences(manifest, { ...manifest, functions })).toEqual(differences)
  })

  it.each<[string, Partial<Manifest>]>([
    ['other patterns', { header: { ...manifest.header, patterns: ['*.ts'] } }],
    ['another name', { header: { ...manifest.header, file: 'tools.ts' } }],
    ['another package', { attachFrom: 'agentkit/functions' }],
  ])('sees %s', (_, other) => {
    expect(manifestDifferences(manifest, { ...manifest, ...other })).toEqual([otherModule])
  })

  it('sees a function that is attached twice', () => {
    expect(manifestDifferences({ ...manifest, functions: [add, chain, add] }, manifest)).toEqual([otherModule])
  })
})
