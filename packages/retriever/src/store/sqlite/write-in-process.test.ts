import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { makeFile, never } from '../../__fixtures__/make-file.ts'
import { writerProcesses } from '../../__fixtures__/writer-processes.ts'
import type { Chunk, NewChunk } from '../../data/chunk.ts'
import type { ChunkSlices } from '../../data/chunk-slices.ts'
import { packBytes } from '../../data/pack-chunks.ts'
import { packedChunks } from '../../data/packed-chunks.ts'
import { createSpools, type Spools } from '../../parse/pool/spool.ts'
import type { Change, ChangeWriter, Store } from '../store.ts'
import { applyInProcess } from '../write-in-process.ts'
import { sqliteSpace } from './sqlite-space.ts'

let folder: string
let spools: Spools
let store: Store
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-writer-'))
  spools = createSpools(folder)
  store = await sqliteSpace(join(folder, 'index')).open('first', { dimensions: 4 })
  return async () => {
    await store.close()
    spools.close()
    await rm(folder, { recursive: true })
  }
})

const passages = Array.from({ length: 300 }, (_, place) => `Passage ${place} of the walrus`)

it('writes chunks that another process reads, beside those of small files, with their vectors', async () => {
  const small = makeFile('small.md', ['The heron stands still'], { dimensions: 4 })
  await store.apply({ changed: [small, spooled('large.csv', passages)], removed: [] }, never)

  expect((await store.chunksOf('large.csv')).map(({ quote }) => quote)).toEqual(passages)
  expect(await store.searchText('walrus', { limit: 1_000, filter: {} })).toHaveLength(passages.length)
  expect(await store.searchText('heron', { limit: 10, filter: {} })).toHaveLength(1)
  expect(await store.searchVector(new Float32Array([1, 0, 0, 0]), { limit: 1_000, filter: {} })).toHaveLength(301)
  expect(await store.verify()).toEqual([])
})

it('writes nothing of a change that is aborted while the writer waits for vectors', async () => {
  const stop = new AbortController()
  const change = spooled('large.csv', passages, async (slice) => {
    if (slice === 1) stop.abort()
    if (slice === 1) await new Promise<never>(() => {})
  })
  await expect(store.apply({ changed: [change], removed: [] }, stop.signal)).rejects.toMatchObject({ code: 'aborted' })
  expect(await store.files()).toEqual([])
  await store.apply({ changed: [spooled('large.csv', passages)], removed: [] }, never)
  expect(await store.count()).toBe(passages.length)
})

it('throws the error of the vectors, and writes nothing', async () => {
  const failing = spooled('large.csv', passages, async () => {
    throw new Error('The embedder is gone.')
  })
  await expect(store.apply({ changed: [failing], removed: [] }, never)).rejects.toMatchObject({
    code: 'storage',
    cause: { message: 'The embedder is gone.' },
  })
  expect(await store.files()).toEqual([])
})

it('throws the error of the writer, and writes nothing', async () => {
  const wrong = spooled('large.csv', passages, async () => {}, 3)
  await expect(store.apply({ changed: [wrong], removed: [] }, never)).rejects.toMatchObject({
    code: 'invalid-argument',
    message: 'The index takes vectors of 4 numbers, and this one has 3.',
  })
  expect(await store.files()).toEqual([])
})

it('throws that the writer has no memory left, with the fix', async () => {
  const index = { kind: 'sqlite', path: join(folder, 'index', 'first.db') } as const
  const change = { changed: [spooled('large.csv', passages)], removed: [] }
  await expect(applyInProcess(index, change, never, { heapMb: 2 })).rejects.toMatchObject({
    code: 'storage',
    message: expect.stringMatching(/"large\.csv" takes more than 2 MB of memory\. Split it/),
  })
})

it('throws that the writer was killed, and writes nothing', async () => {
  const change = spooled('large.csv', passages, async (slice) => {
    if (slice === 1) killChildren()
  })
  await expect(store.apply({ changed: [change], removed: [] }, never)).rejects.toMatchObject({
    code: 'storage',
    retryable: true,
  })
  expect(await store.files()).toEqual([])
})

it('continues after a failure of the temporary file', async () => {
  const closed = spooled('large.csv', passages)
  spools.close()
  await expect(store.apply({ changed: [closed], removed: [] }, never)).rejects.toMatchObject({ code: 'storage' })
  await store.apply({ changed: [makeFile('small.md', ['The heron'], { dimensions: 4 })], removed: [] }, never)
  expect(await store.count()).toBe(1)
})

it('applies many changes in one process, and ends it', async () => {
  const writer = openWriter()
  await writer.apply({ changed: [packed('one.md', passages)], removed: [] }, never)
  const [pid] = writerProcesses()
  await writer.apply({ changed: [packed('two.md', ['The heron']), packed('one.md', ['Gone'])], removed: [] }, never)
  expect(writerProcesses()).toEqual([pid])
  await writer.end(never)
  expect(writerProcesses()).toEqual([])

  expect((await store.chunksOf('one.md')).map(({ quote }) => quote)).toEqual(['Gone'])
  expect(await store.searchText('heron', { limit: 10, filter: {} })).toHaveLength(1)
  expect(await store.verify()).toEqual([])
})

it('keeps what a process has applied that was killed, and nothing of the next change', async () => {
  const writer = openWriter()
  await writer.apply({ changed: [packed('one.md', passages)], removed: [] }, never)
  killChildren()
  const changed = [2, 3, 4, 5, 6].map((number) => packed(`${number}.md`, ['The heron']))
  await expect(writer.apply({ changed, removed: [] }, never)).rejects.toMatchObject({
    code: 'storage',
    retryable: true,
    message: expect.stringMatching(/ended early, at "2\.md", "3\.md", "4\.md", 2 other files\. Sync again\.$/),
  })
  await writer.stop()
  expect((await store.files()).map(({ file }) => file)).toEqual(['one.md'])
})

it('writes on when a terminal or a service manager signals all processes: this one decides', async () => {
  const writer = openWriter()
  await writer.apply({ changed: [packed('one.md', passages)], removed: [] }, never)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) killChildren(signal)
  await writer.apply({ changed: [packed('two.md', ['The heron'])], removed: [] }, never)
  await writer.end(never)
  expect((await store.files()).map(({ file }) => file).sort()).toEqual(['one.md', 'two.md'])
})

it.each(['end', 'stop'] as const)('ends the process when it is aborted or stopped: %s', async (end) => {
  const writer = openWriter()
  await writer.apply({ changed: [packed('one.md', passages)], removed: [] }, never)
  expect(writerProcesses()).toHaveLength(1)
  await writer[end](AbortSignal.abort())
  expect(writerProcesses()).toEqual([])
})

it('writes nothing of a change that is aborted, and ends the process', async () => {
  const writer = openWriter()
  const stop = new AbortController()
  const applying = writer.apply({ changed: [packed('one.md', passages)], removed: [] }, stop.signal)
  stop.abort()
  await expect(applying).rejects.toMatchObject({ code: 'aborted' })
  await writer.stop()
  expect(writerProcesses()).toEqual([])
  expect(await store.files()).toEqual([])
})

it('says what to do where no process can start', async () => {
  const { execPath } = process
  process.execPath = join(folder, 'nowhere')
  const writer = openWriter()
  process.execPath = execPath
  const applying = writer.apply({ changed: [packed('one.md', ['The heron'])], removed: [] }, never)
  await expect(applying).rejects.toMatchObject({
    code: 'unsupported',
    message: 'The process that writes the index could not start. Allow this program to start processes of Node.',
  })
  await writer.stop()
})

function openWriter(): ChangeWriter {
  const writer = store.openWriter?.()
  if (!writer) throw new Error('The store has no writer.')
  return writer
}

/** A file as a large sync passes it on. */
function packed(file: string, texts: string[]): Change['changed'][number] {
  const { record, chunks } = makeFile(file, texts)
  const all = chunks as Chunk[] // by `makeFile`
  return { record, chunks: packedChunks(file, [{ packed: packBytes(all), count: all.length }]) }
}

function killChildren(signal: NodeJS.Signals = 'SIGKILL'): void {
  for (const pid of writerProcesses()) process.kill(pid, signal)
}

/** A large file as `indexFiles` passes it on: 100 chunks in a slice, vectors from this process. */
function spooled(
  file: string,
  texts: string[],
  beforeVectors: (slice: number) => Promise<void> = async () => {},
  dimensions = 4,
): { record: ReturnType<typeof makeFile>['record']; chunks: ChunkSlices } {
  const { record, chunks } = makeFile(file, texts, { dimensions })
  const all = chunks as NewChunk[]
  const spool = spools.open()
  for (let from = 0; from < all.length; from += 100) {
    const slice: Chunk[] = all.slice(from, from + 100).map(({ vector: _, ...chunk }) => chunk)
    spool.add(packBytes(slice), slice.length)
  }
  const slices = spool.chunks(file)
  return {
    record,
    chunks: {
      ...slices,
      async *slices({ vectors = false } = {}) {
        let from = 0
        for await (const slice of slices.slices()) {
          if (vectors) await beforeVectors(from / 100)
          yield vectors ? all.slice(from, from + slice.length) : slice
          from += slice.length
        }
      },
    },
  }
}
