import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadTsMorph } from '../compiler/scope/load-ts-morph.ts'
import { temporaryProject } from './__fixtures__/temporary-project.ts'
import { importStyle } from './import-style.ts'

const { ts } = loadTsMorph()
const files = ['chain.ts', 'view.tsx', 'math.mts', 'common.cts', 'plain.js', 'deep/other.ts', '../above.ts']

const written = [
  './chain.ts',
  './view.tsx',
  './math.mts',
  './common.cts',
  './plain.js',
  './deep/other.ts',
  '../above.ts',
]
const compiled = [
  './chain.js',
  './view.js',
  './math.mjs',
  './common.cjs',
  './plain.js',
  './deep/other.js',
  '../above.js',
]
const bundled = ['./chain', './view', './math.mjs', './common.cjs', './plain.js', './deep/other', '../above']

describe('importStyle', () => {
  it.each<[string, Record<string, unknown> | undefined, string[]]>([
    ['without a tsconfig.json', undefined, written],
    ['for Node, where it is compiled', { module: 'nodenext' }, compiled],
    ['for an older Node', { module: 'node16' }, compiled],
    ['for Node, by resolution alone', { moduleResolution: 'nodenext' }, compiled],
    ['for Node, where extensions may be TypeScript', { module: 'nodenext', allowImportingTsExtensions: true }, written],
    [
      'for Node, where extensions are rewritten',
      { module: 'nodenext', rewriteRelativeImportExtensions: true },
      written,
    ],
    ['for a bundler', { module: 'esnext', moduleResolution: 'bundler' }, bundled],
    ['for a bundler that takes TypeScript', { moduleResolution: 'bundler', allowImportingTsExtensions: true }, written],
    ['for a bundler, by module alone', { module: 'preserve' }, bundled],
    ['for what is usual', {}, bundled],
  ])('names files as they are imported %s', (_, compilerOptions, imports) => {
    using project = temporaryProject(compilerOptions ? { 'tsconfig.json': JSON.stringify({ compilerOptions }) } : {})
    const module = join(project.folder, 'src/agentkit-tools.ts')
    const { specifierOf } = importStyle(ts, module)
    expect(files.map((file) => specifierOf(join(project.folder, 'src', file)))).toEqual(imports)
  })

  it('reads the configurations that a tsconfig.json extends', () => {
    using project = temporaryProject({
      'base.json': '{ "compilerOptions": { "module": "nodenext" } }',
      'src/tsconfig.json': '{ "extends": "../base.json" } // nearest',
      'tsconfig.json': '{ "compilerOptions": { "module": "preserve" } }',
    })
    expect(specifier(project.folder)).toBe('./chain.js')
  })

  it('reads the first project of a tsconfig.json that only lists projects', () => {
    using project = temporaryProject({
      'tsconfig.json': '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }',
      'tsconfig.app.json': '{ "compilerOptions": { "module": "nodenext" } }',
    })
    expect(specifier(project.folder)).toBe('./chain.js')
  })

  it('uses the tsconfig.json itself where that has files and also refers to other projects', () => {
    using project = temporaryProject({
      'tsconfig.json': '{ "compilerOptions": { "module": "nodenext" }, "references": [{ "path": "./lib" }] }',
      'lib/tsconfig.json': '{ "compilerOptions": { "module": "preserve" } }',
    })
    expect(specifier(project.folder)).toBe('./chain.js')
  })

  it('does not run in circles', () => {
    using project = temporaryProject({ 'tsconfig.json': '{ "files": [], "references": [{ "path": "." }] }' })
    expect(specifier(project.folder)).toBe('./chain')
  })

  it('uses a tsconfig.json itself that lists missing projects', () => {
    using project = temporaryProject({ 'tsconfig.json': '{ "files": [], "references": [{ "path": "./gone" }] }' })
    expect(specifier(project.folder)).toBe('./chain')
  })

  it.each([
    ['{ "dependencies": { "@agentkit/functions": "1" } }', '@agentkit/functions'],
    ['{ "devDependencies": { "@agentkit/functions": "1" } }', '@agentkit/functions'],
    ['{ "peerDependencies": { "@agentkit/functions": "1" } }', '@agentkit/functions'],
    ['{ "dependencies": { "agentkit": "1" } }', 'agentkit/functions'],
    ['{}', 'agentkit/functions'],
  ])('takes attachTool from the package that %s depends on', (manifest, attachFrom) => {
    using project = temporaryProject({ 'package.json': manifest })
    expect(importStyle(ts, join(project.folder, 'src/agentkit-tools.ts')).attachFrom).toBe(attachFrom)
  })
})

function specifier(folder: string): string {
  return importStyle(ts, join(folder, 'src/agentkit-tools.ts')).specifierOf(join(folder, 'src/chain.ts'))
}
