import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AgentKitError, type Embedder, type JSONValue, type SyncReport } from '@agentkit/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { countingEmbedder } from './__fixtures__/counting-embedder.ts'
import { type TestLibrary, testLibrary } from './__fixtures__/test-retriever.ts'
import { knowingEmbedder } from './__fixtures__/topics.ts'

let library: TestLibrary
beforeEach(async () => {
  library = await testLibrary()
})
afterEach(() => library.close())

const write = (file: string, content: string): Promise<void> => library.files.write(file, content)

it('answers from an existing index, before any sync', async () => {
  await write('a.md', 'Bees make honey')
  await library.retriever().sync()
  const retriever = library.retriever()
  const [hit] = await retriever.search('honey')
  expect(hit).toMatchObject({ file: 'a.md', quote: 'Bees make honey', start: 0, end: 15 })
  expect(await retriever.resolve(hit?.chunkId ?? '')).toBe('Bees make honey')
  expect(await retriever.files()).toEqual(['a.md'])
})

it('finds nothing without an index, and creates none', async () => {
  const retriever = library.retriever()
  expect(await retriever.search('honey')).toEqual([])
  expect(await retriever.files()).toEqual([])
  expect(await retriever.read('a.md')).toEqual([])
  expect(await retriever.verify()).toEqual([expect.stringContaining('no index yet')])
  expect(await library.space.generations()).toEqual([])
})

it('refuses queries and paths that are too long, in any script', async () => {
  await write('a.md', 'Bees make honey')
  const retriever = library.retriever()
  await retriever.sync()
  const tooLong = { code: 'invalid-argument', message: expect.stringMatching(/at most (4000|1024) (characters )?/) }
  await expect(retriever.search('蜂'.repeat(4_001))).rejects.toMatchObject(tooLong)
  await expect(retriever.search('bees', { paths: ['../'.repeat(300_000)] })).rejects.toMatchObject(tooLong)
  await expect(retriever.read('../'.repeat(300_000))).rejects.toMatchObject(tooLong)
  expect(await retriever.search('蜂'.repeat(4_000))).toEqual([])
})

it.each([
  [{ onprogress: () => {} }, 'sync() has no option "onprogress". There are: signal, onProgress.'],
  [{ signal: 'soon' }, '`signal` is an AbortSignal, not "soon".'],
  [{ onProgress: 5 }, '`onProgress` is a function, not 5.'],
])('refuses the options %j of a sync', async (options, message) => {
  // As JavaScript may pass them.
  const sync = library.retriever().sync(options as never)
  await expect(sync).rejects.toMatchObject({ code: 'invalid-argument', message })
})

it('separates folders that share an index', async () => {
  await write('a.md', 'Bees make honey')
  await write('inner/b.md', 'Wasps make paper')
  const whole = library.retriever()
  const inner = library.retriever({ folder: join(library.files.path, 'inner') })
  await whole.sync()
  expect(await inner.search('wasps')).toEqual([])
  await inner.sync()
  await whole.sync()
  expect(await inner.files()).toEqual(['b.md'])
  expect(await whole.files()).toEqual(['a.md', 'inner/b.md'])
})

it('does not return a passage any more after its words have changed', async () => {
  const retriever = library.retriever()
  await write('a.md', 'Bees make honey')
  await retriever.sync()
  const [hit] = await retriever.search('honey')
  await write('a.md', 'Bees make wax')
  await retriever.sync()
  await expect(retriever.resolve(hit?.chunkId ?? '')).rejects.toMatchObject({ code: 'not-found' })
})

it('accepts paths in any spelling', async () => {
  const retriever = library.retriever()
  await write('docs/a.md', 'Bees make honey')
  await write('b.md', 'Bees make wax')
  await retriever.sync()
  for (const path of ['docs', 'docs/', './docs', '/docs/', 'docs/a.md', './docs/a.md']) {
    const hits = await retriever.search('bees', { paths: [path] })
    expect(hits.map(({ file }) => file)).toEqual(['docs/a.md'])
  }
  expect(await retriever.search('bees', { paths: ['.'] })).toHaveLength(2)
  expect(await retriever.read('./docs/a.md')).toHaveLength(1)
})

it('accepts composed paths of files whose names are decomposed, as on a Mac', async () => {
  const retriever = library.retriever()
  const file = 'Café/Menü.md'.normalize('NFD')
  await write(file, 'Bees make honey')
  await retriever.sync()
  for (const path of ['Café/', 'Café/Menü.md']) {
    expect(await retriever.search('bees', { paths: [path] })).toMatchObject([{ file }])
  }
  expect(await retriever.read('Café/Menü.md')).toMatchObject([{ file, quote: 'Bees make honey' }])
})

it('refuses invalid arguments of JavaScript, with the fix', async () => {
  // Without type checks.
  const retriever = library.retriever() as unknown as Record<string, (...values: unknown[]) => Promise<unknown>>
  await write('a.md', 'Bees make honey')
  await retriever.sync?.()
  const calls: [name: string, values: unknown[], message: string][] = [
    ['search', [], 'search() was given undefined: say what to look for.'],
    ['search', [' \n'], 'say what to look for'],
    ['search', ['honey', null], 'are an object'],
    ['search', ['honey', { lmit: 3 }], 'There are: limit, paths, exts, signal, onWarning.'],
    ['search', ['honey', { paths: 'a.md' }], '`paths`'],
    ['read', [], 'name a file'],
    ['read', ['a.md', { limit: Number.NaN }], '`limit`'],
    ['resolve', [], '`chunkId`'],
  ]
  for (const [name, values, message] of calls) {
    await expect(retriever[name]?.(...values)).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining(message),
    })
  }
})

it('reports an embedder that fails in a search, and answers by words', async () => {
  let isDown = false
  const working = knowingEmbedder()
  const embedder: Embedder = {
    ...working,
    embed(...request) {
      if (isDown) throw new AgentKitError('auth', 'The key is wrong.')
      return working.embed(...request)
    },
  }
  const retriever = library.retriever({ embedder })
  await write('a.md', 'Bees make honey')
  await retriever.sync()
  isDown = true
  const warnings: string[] = []
  const [hit] = await retriever.search('honey', { onWarning: (warning) => warnings.push(warning) })
  expect(hit?.file).toBe('a.md')
  expect(warnings).toEqual(['Searched by words only, because the search by meaning failed: The key is wrong.'])
})

it('reads a file by its passages', async () => {
  const retriever = library.retriever()
  await write('a.md', 'One\n\nTwo\n\nThree')
  await retriever.sync()
  expect((await retriever.read('a.md')).map(({ quote }) => quote)).toEqual(['One', 'Two', 'Three'])
  expect((await retriever.read('a.md', { from: 1, limit: 1 })).map(({ quote }) => quote)).toEqual(['Two'])
  expect(await retriever.read('b.md')).toEqual([])
})

it('reads the records of all files once, and again only when the index has changed', async () => {
  await write('a.md', 'Bees make honey')
  const [retriever, another] = [library.retriever(), library.retriever()]
  await retriever.sync()
  const before = library.space.listed
  const first = await retriever.records()
  for (const record of first) record.size = -1
  const callTool = async (name: string, input: JSONValue) => {
    const { signal } = new AbortController()
    const found = retriever.tools().find((one) => one.name === name)
    return found?.execute(input, { signal, userId: 'u', runId: 'r', callId: 'c', idempotencyKey: 'k', cite() {} })
  }
  expect(await callTool('list_files', {})).toContain('a.md')
  expect(await callTool('search_files', { query: 'bees', files: ['a.md'] })).toContain('honey')
  expect(await callTool('search_files', { query: 'wasps' })).toContain('Nothing')
  expect(await retriever.records()).toMatchObject([{ file: 'a.md', size: 15 }])
  expect(library.space.listed).toBe(before + 1)

  // A sync as well.
  await retriever.sync()
  expect(library.space.listed).toBe(before + 1)

  await write('b.md', 'Wasps make paper')
  await another.sync()
  expect(await retriever.files()).toEqual(['a.md', 'b.md'])
  expect(await callTool('list_files', {})).toContain('b.md')
})

describe('requiredExts', () => {
  it('limit the files that a retriever sees, reports and finds in a shared index', async () => {
    await write('a.md', 'Bees make honey')
    await write('b.txt', 'Bees make wax')
    await write('c.doc', 'Bees')
    const all = library.retriever()
    const some = library.retriever({ requiredExts: ['TXT'] })
    expect(await all.sync()).toMatchObject({ indexed: 2, chunks: 2, skipped: [{ file: 'c.doc' }] })
    expect(await some.sync()).toEqual({
      indexed: 0,
      unchanged: 1,
      removed: 0,
      pending: 0,
      chunks: 1,
      skipped: [],
      warnings: [],
      mode: 'text',
    })
    expect(await some.files()).toEqual(['b.txt'])
    expect((await some.search('bees')).map(({ file }) => file)).toEqual(['b.txt'])
    expect(await some.search('bees', { exts: ['.md'] })).toEqual([])
    expect(await some.read('a.md')).toEqual([])
    const [honey] = await all.search('honey')
    await expect(some.resolve(honey?.chunkId ?? '')).rejects.toMatchObject({ code: 'not-found' })
    expect(await library.space.generations()).toHaveLength(1)
  })

  it('remove files of other selections from the index only when they are deleted', async () => {
    await write('a.md', 'Bees make honey')
    await write('b.txt', 'Bees make wax')
    const all = library.retriever()
    const some = library.retriever({ requiredExts: ['.txt'] })
    await all.sync()
    await some.sync()
    expect(await all.files()).toEqual(['a.md', 'b.txt'])
    await rm(join(library.files.path, 'a.md'))
    expect(await some.sync()).toMatchObject({ removed: 0 })
    expect(await all.files()).toEqual(['b.txt'])
  })
})

it('returns tools that describe the index of an earlier process, before its own first sync', async () => {
  await write('a.md', 'Bees')
  await library.retriever().sync()
  const retriever = library.retriever({ parsing: { firstAnswerSeconds: 5 } })
  expect(retriever.firstAnswerSeconds).toBe(5)
  await retriever.files()
  expect(retriever.tools()[0]?.description).toContain('There is one file: a.md.')
})

it('returns other tools only when a sync has found other files', async () => {
  const retriever = library.retriever()
  const none = retriever.tools()
  expect(none.map(({ name }) => name)).toContain('search_files')
  await write('bees.md', 'Bees make honey')
  await retriever.sync()
  const one = retriever.tools()
  expect(one).not.toBe(none)
  expect(one[0]?.description).toContain('bees.md')
  await write('bees.md', 'Bees make wax')
  await retriever.sync()
  expect(retriever.tools()).toBe(one)
  await write('wasps.md', 'Wasps make paper')
  await retriever.sync()
  expect(retriever.tools()).not.toBe(one)
})

it('syncs when files change while it watches, and reports the new files', async () => {
  const retriever = library.retriever()
  const reports: Partial<SyncReport>[] = []
  let wake = (): void => {}
  const controller = new AbortController()
  retriever.watch({
    signal: controller.signal,
    onSync({ indexed, removed }) {
      // A new folder may be noticed before the file in it.
      if (reports.length > 0 && indexed + removed === 0) return
      reports.push({ indexed, removed })
      wake()
    },
  })
  const next = async (count: number): Promise<void> => {
    while (reports.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  await next(1)
  await write('deep/a.md', 'Bees make honey')
  await next(2)
  expect(await retriever.search('honey')).toHaveLength(1)
  await rm(join(library.files.path, 'deep/a.md'))
  await next(3)
  expect(reports).toEqual([
    { indexed: 0, removed: 0 },
    { indexed: 1, removed: 0 },
    { indexed: 0, removed: 1 },
  ])
  controller.abort()
})

it('reports a failed sync while it watches, and continues', async () => {
  const embedder = countingEmbedder()
  const retriever = library.retriever({ embedder })
  const controller = new AbortController()
  embedder.before = (texts) => {
    if (texts.includes('Bees make honey')) throw new Error('no embeddings today')
  }
  await write('a.md', 'Bees make honey')
  const failed = Promise.withResolvers<unknown>()
  const synced = Promise.withResolvers<SyncReport>()
  retriever.watch({ signal: controller.signal, onError: failed.resolve, onSync: synced.resolve })
  expect(await failed.promise).toMatchObject({ code: 'provider-error' })
  await write('a.md', 'Bees make wax')
  expect(await synced.promise).toMatchObject({ indexed: 1 })
  controller.abort()
})

it('continues to watch after a callback has thrown', async () => {
  const embedder = countingEmbedder()
  const retriever = library.retriever({ embedder })
  const controller = new AbortController()
  embedder.before = (texts) => {
    if (texts.includes('Bees make honey')) throw new Error('no embeddings today')
  }
  await write('a.md', 'Bees make honey')
  const failed = Promise.withResolvers<void>()
  const synced = Promise.withResolvers<SyncReport>()
  retriever.watch({
    signal: controller.signal,
    onError() {
      failed.resolve()
      throw new Error('no log either')
    },
    onSync: synced.resolve,
  })
  await failed.promise
  await write('a.md', 'Bees make wax')
  expect(await synced.promise).toMatchObject({ indexed: 1 })
  controller.abort()
})

describe('close', () => {
  it('refuses later calls, and may be called twice', async () => {
    const retriever = library.retriever()
    await retriever.sync()
    await retriever.close()
    await retriever.close()
    const closed = { code: 'invalid-argument', message: expect.stringContaining('closed') }
    await expect(retriever.search('honey')).rejects.toMatchObject(closed)
    await expect(retriever.sync()).rejects.toMatchObject(closed)
    await expect(retriever.files()).rejects.toMatchObject(closed)
    expect(library.space.opened.size).toBe(0)
  })

  it('stops a running sync', async () => {
    const retriever = library.retriever()
    await write('a.md', 'Bees make honey')
    const { promise: reading, resolve: began } = Promise.withResolvers<void>()
    library.pool.beforeRead = async () => {
      began()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const syncing = retriever.sync()
    const outcome = expect(syncing).rejects.toMatchObject({ message: expect.stringContaining('closed') })
    await reading
    await retriever.close()
    await outcome
    expect(library.space.applied).toEqual([])
  })
})
