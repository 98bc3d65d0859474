import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryApp } from './__fixtures__/temporary-app.ts'
import { type CachedFile, createCompileCache } from './compile-cache.ts'

const file: CachedFile = {
  plan: [{ at: 1, before: ';', call: { index: 0, reference: 'f' }, after: ';' }],
  tools: { 0: { compiled: { name: 'f', description: '', inputSchema: {}, parameters: [] }, warnings: ['a'] } },
  dependencies: { '/app/types.ts': 'digest' },
}

describe('createCompileCache', () => {
  it('gives what was kept of a file, also to another process', () => {
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

  it('goes on without where nothing can be written', () => {
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
