import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { temporaryApp } from '../__fixtures__/temporary-app.ts'
import type { CachedFile, CachedTool } from './cached-file.ts'
import { createCompileCache } from './compile-cache.ts'

const file: CachedFile = {
  plan: [{ at: 1, form: 'statement', call: { index: 0, reference: 'f' } }],
  tools: { 0: { compiled: { name: 'f', description: '', inputSchema: {}, parameters: [] }, warnings: ['a'] } },
  dependencies: { '/app/types.ts': 'digest' },
}

describe('createCompileCache', () => {
  it('returns the cached tools of a file, also to another process', () => {
    using app = temporaryApp({})
    createCompileCache('1').write(app.path('src/a.ts'), 'text', file)
    expect(createCompileCache('1').read(app.path('src/a.ts'), 'text')).toEqual(file)
  })

  it.each([
    ['another text', '1', 'src/a.ts', 'other'],
    ['another version', '2', 'src/a.ts', 'text'],
    ['another file', '1', 'src/b.ts', 'text'],
    ['a file of the same name', '1', 'a.ts', 'text'],
  ])('gives nothing for %s', (_what, version, path, text) => {
    using app = temporaryApp({})
    createCompileCache('1').write(app.path('src/a.ts'), 'text', file)
    expect(createCompileCache(version).read(app.path(path), text)).toBeUndefined()
  })

  it('keeps it in the nearest node_modules, in one file that is replaced', () => {
    using app = temporaryApp({ 'src/package.json': '{ "type": "module" }' })
    const cache = createCompileCache('1')
    for (const text of ['first', 'second']) cache.write(app.path('src/a.ts'), text, file)
    expect(readdirSync(cacheFolder(app.folder))).toEqual([expect.stringMatching(/^a\.ts-.+\.json$/)])
    expect(cache.read(app.path('src/a.ts'), 'second')).toEqual(file)
  })

  it('makes a node_modules beside the package.json where there is none', () => {
    using app = temporaryApp({})
    rmSync(app.path('node_modules'), { recursive: true })
    const cache = createCompileCache('1')
    cache.write(app.path('src/a.ts'), 'text', file)
    expect(cache.read(app.path('src/a.ts'), 'text')).toEqual(file)
    expect(readdirSync(cacheFolder(app.folder))).toHaveLength(1)
  })

  it.each(['', '{', 'null', '{"version":"1"}', '[]'])('takes %j for nothing, and replaces it', (broken) => {
    using app = temporaryApp({})
    const cache = createCompileCache('1')
    cache.write(app.path('a.ts'), 'text', file)
    const [name = ''] = readdirSync(cacheFolder(app.folder))
    writeFileSync(join(cacheFolder(app.folder), name), broken)
    expect(cache.read(app.path('a.ts'), 'text')).toBeUndefined()
    cache.write(app.path('a.ts'), 'text', file)
    expect(cache.read(app.path('a.ts'), 'text')).toEqual(file)
  })

  const [call] = file.plan
  const { compiled } = file.tools[0] as CachedTool
  const withTool = (tool: object): unknown => ({ ...file, tools: { 0: tool } })
  const withCompiled = (changed: object): unknown => withTool({ compiled: { ...compiled, ...changed }, warnings: [] })
  it.each<[string, unknown]>([
    ['no data', null],
    ['text to insert', { ...file, plan: [{ at: 1, before: ';stolen();', after: '' }] }],
    ['text beside a call', { ...file, plan: [{ ...call, before: ';stolen();' }] }],
    ['a call as reference', { ...file, plan: [{ ...call, call: { index: 0, reference: 'f);stolen(' } }] }],
    ['a call in brackets', { ...file, plan: [{ ...call, call: { index: 0, reference: 'f[stolen()]' } }] }],
    ['a text that ends', { ...file, plan: [{ ...call, call: { index: 0, reference: 'f["a"+stolen()+"b"]' } }] }],
    ['an index that is none', { ...file, plan: [{ ...call, call: { index: '0;stolen()', reference: 'f' } }] }],
    ['a reference without end', { ...file, plan: [{ ...call, call: { index: 0, reference: 'f'.repeat(1_001) } }] }],
    ['a name and a call', { ...file, plan: [{ ...call, form: 'name', name: 'f' }] }],
    ['a name beside a call', { ...file, plan: [{ ...call, name: 'f' }] }],
    ['a name that is none', { ...file, plan: [{ at: 1, form: 'name', name: 'f(){stolen()}function f' }] }],
    ['an unknown form', { ...file, plan: [{ ...call, form: 'constructor' }] }],
    ['a place outside of the text', { ...file, plan: [{ ...call, at: 5 }] }],
    ['places out of order', { ...file, plan: [{ ...call, at: 2 }, call] }],
    ['a tool that is none', withTool({})],
    ['no tools', { ...file, tools: undefined }],
    ['a tool of an index that is none', { ...file, tools: { length: file.tools[0] } }],
    ['a tool without warnings', withTool({ compiled })],
    ['warnings that are none', withTool({ compiled, warnings: [5] })],
    ['a compiled tool that is none', withTool({ compiled: null, warnings: [] })],
    ['a parameter of no form', withCompiled({ parameters: [{}] })],
    ['a parameter that is none', withCompiled({ parameters: [5] })],
    ['a parameter that is all and has a name', withCompiled({ parameters: [{ name: 'a', whole: true }] })],
    ['a parameter that is all and a rest', withCompiled({ parameters: [{ rest: true, whole: true }] })],
    ['a rest that is none', withCompiled({ parameters: [{ name: 'a', rest: 1 }] })],
    ['parameters that are none', withCompiled({ parameters: {} })],
    ['a schema that is none', withCompiled({ inputSchema: [] })],
    ['a description that is none', withCompiled({ description: 5 })],
    ['a name of a tool that is none', withCompiled({ name: null })],
    ['a place of the context that is none', withCompiled({ contextIndex: -1 })],
    ['dates that are none', withCompiled({ dates: '/properties/since' })],
    ['a class that is none', withCompiled({ methodOf: {} })],
    ['no digests', { ...file, dependencies: null }],
    ['insertions that are none', { ...file, plan: [5] }],
    ['a place that is none', { ...file, plan: [{ ...call, at: '1' }] }],
    ['digests that are none', { ...file, dependencies: { '/app/types.ts': 1 } }],
  ])('takes a file with %s for none', (_what, changed) => {
    using app = temporaryApp({})
    const cache = createCompileCache('1')
    cache.write(app.path('a.ts'), 'text', changed as CachedFile)
    expect(readdirSync(cacheFolder(app.folder))).toHaveLength(1)
    expect(cache.read(app.path('a.ts'), 'text')).toBeUndefined()
  })

  it('ignores a file that is larger than any it writes', () => {
    using app = temporaryApp({})
    const cache = createCompileCache('1')
    cache.write(app.path('a.ts'), 'text', file)
    const [name = ''] = readdirSync(cacheFolder(app.folder))
    const path = join(cacheFolder(app.folder), name)
    writeFileSync(path, readFileSync(path, 'utf8').padEnd(64 * 1_024 * 1_024 + 1))
    expect(cache.read(app.path('a.ts'), 'text')).toBeUndefined()
  })

  it('ignores an entry that another user has written', () => {
    using app = temporaryApp({})
    const cache = createCompileCache('1')
    cache.write(app.path('a.ts'), 'text', file)
    const own = process.geteuid?.() ?? 0
    const geteuid = vi.spyOn(process, 'geteuid')
    geteuid.mockReturnValue(own + 1)
    expect(cache.read(app.path('a.ts'), 'text')).toBeUndefined()
    geteuid.mockReturnValue(own)
    expect(cache.read(app.path('a.ts'), 'text')).toEqual(file)
    geteuid.mockRestore()
  })

  it.runIf(process.platform !== 'win32')('ignores a link', () => {
    using app = temporaryApp({})
    const cache = createCompileCache('1')
    cache.write(app.path('a.ts'), 'text', file)
    const [name = ''] = readdirSync(cacheFolder(app.folder))
    renameSync(join(cacheFolder(app.folder), name), app.path('elsewhere.json'))
    symlinkSync(app.path('elsewhere.json'), join(cacheFolder(app.folder), name))
    expect(cache.read(app.path('a.ts'), 'text')).toBeUndefined()
  })

  it('works without a cache where nothing can be written', () => {
    using app = temporaryApp({ 'node_modules/.cache': 'a file where a folder should be' })
    const cache = createCompileCache('1')
    cache.write(app.path('a.ts'), 'text', file)
    expect(cache.read(app.path('a.ts'), 'text')).toBeUndefined()
    expect(readFileSync(app.path('node_modules/.cache'), 'utf8')).toBe('a file where a folder should be')
  })

  it('leaves no draft behind where a file cannot be replaced', () => {
    using app = temporaryApp({})
    const cache = createCompileCache('1')
    cache.write(app.path('a.ts'), 'text', file)
    const [name = ''] = readdirSync(cacheFolder(app.folder))
    rmSync(join(cacheFolder(app.folder), name))
    mkdirSync(join(cacheFolder(app.folder), name, 'not empty'), { recursive: true })
    cache.write(app.path('a.ts'), 'text', file)
    expect(readdirSync(cacheFolder(app.folder))).toEqual([name])
    expect(cache.read(app.path('a.ts'), 'text')).toBeUndefined()
  })
})

function cacheFolder(folder: string): string {
  return join(folder, 'node_modules', '.cache', 'agentkit')
}
