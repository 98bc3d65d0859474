import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createParsePool, type ParsePool, type ParsePoolOptions, type ReadFile } from './parse-pool.ts'

let folder: string
let read: Reader
/** Of a pool whose files make trouble. */
let readTrouble: Reader
const pools: ParsePool[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-pool-'))
  const pool = createParsePool()
  const troubled = createParsePool({ script: troubleWorker, workers: 1, memoryMb: 40 })
  read = reader(pool)
  readTrouble = reader(troubled)
  return () => Promise.all([pool.close(), troubled.close()])
})
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()))
})
afterAll(() => rm(folder, { recursive: true }))

it('reads a file into passages', async () => {
  expect(await read('pay.md', '# Pay\n\nMonthly.\n')).toMatchObject({
    outcome: 'read',
    hash: expect.stringMatching(/^[0-9a-f]{32}$/),
    parsed: { status: 'ok', title: 'Pay' },
    chunks: [{ file: 'pay.md', order: 0, heading: 'Pay', quote: expect.stringContaining('Monthly.') }],
  })
})

it('does not parse a file that is what it was', async () => {
  const { hash } = await read('a.txt', 'words')

  expect(await read('a.txt', 'words', { unlessHash: hash })).toEqual({ outcome: 'unchanged', hash })
  expect(await read('a.txt', 'other words', { unlessHash: hash })).toMatchObject({ outcome: 'read' })
})

it('gives a large file whole and in order, though it comes in parts', async () => {
  const lines = Array.from({ length: 60_000 }, (_, index) => `Line ${index} of a rather large file.`)
  const large = await read('large.txt', lines.join('\n'))

  expect(large.outcome).toBe('read')
  const { chunks, characters } = large as ReadFile & { outcome: 'read' }
  expect(chunks.map((chunk) => chunk.order)).toEqual(chunks.map((_, index) => index))
  expect(
    chunks
      .map((chunk) => chunk.quote)
      .join('\n')
      .split('\n'),
  ).toEqual(lines)
  expect(characters).toBe(lines.join('\n').length)
})

it.each([
  ['large.txt', 'x'.repeat(2_000), 'too-large', 'It has 2000 bytes; at most 1000 bytes are read.'],
  ['gone.txt', undefined, 'corrupt', 'It is not there any more.'],
  ['empty.txt', '', 'no-text', expect.any(String)],
  ['data.xyz', 'words', expect.any(String), expect.any(String)],
] as const)('says why %s cannot be read', async (file, content, status, reason) => {
  expect(await read(file, content, { maxBytes: 1_000 })).toMatchObject({ outcome: 'unreadable', status, reason })
})

it('refuses folders and pipes', async () => {
  expect(await read('.', undefined)).toMatchObject({ status: 'unsupported', reason: 'It is a folder.' })
  expect(await read('/dev/null', undefined)).toMatchObject({ status: 'unsupported', reason: 'It is no file.' })
})

it.each([
  ['memory', 'too-large', 'Reading it takes more than 40 MB of memory.'],
  ['crash', 'corrupt', 'Its reader broke down: Out of ink.'],
  ['throw', 'corrupt', 'Its reader failed: Not a page.'],
])('lets %s spoil no other file', async (trouble, status, reason) => {
  const read = poolReader({ script: troubleWorker, timeoutMs: trouble === 'loop' ? 300 : 20_000, memoryMb: 40 })
  const reads = await Promise.all(['one', trouble, 'two'].map((content, index) => read(`${index}.txt`, content)))

  expect(reads).toMatchObject([{ outcome: 'read' }, { outcome: 'unreadable', status, reason }, { outcome: 'read' }])
})

it('gives up on a file that takes too long', async () => {
  const read = poolReader({ script: troubleWorker, timeoutMs: 300 })
  const reads = await Promise.all(['loop', 'words'].map((content, index) => read(`${index}.txt`, content)))

  expect(reads).toMatchObject([
    { status: 'too-large', reason: 'Reading it takes longer than 0.3 seconds.' },
    { outcome: 'read' },
  ])
})

it('tries a file again of which a worker died that had read others', async () => {
  const lines = ['tired', ...Array.from({ length: 60_000 }, (_, index) => `Line ${index} of a rather large file.`)]
  await readTrouble('first.txt', 'words')
  const again = await readTrouble('tired.txt', lines.join('\n'))

  expect(again.outcome).toBe('read')
  const { chunks } = again as ReadFile & { outcome: 'read' }
  expect(
    chunks
      .map((chunk) => chunk.quote)
      .join('\n')
      .split('\n'),
  ).toEqual(lines)
})

it.each(['wait', 'loop'])('ends at once when it is aborted, and is free for others: %s', async (trouble) => {
  await readTrouble('0.txt', 'ready')
  const stop = new AbortController()
  const stopped = readTrouble('1.txt', trouble, { signal: stop.signal })
  await wait(100)
  const queued = readTrouble('2.txt', 'queued', { signal: stop.signal })
  const other = readTrouble('3.txt', 'other')
  await wait(100)
  stop.abort()

  await expect(stopped).rejects.toMatchObject({ code: 'aborted' })
  await expect(queued).rejects.toMatchObject({ code: 'aborted' })
  expect(await other).toMatchObject({ outcome: 'read' })
})

it('refuses what is aborted before it begins', async () => {
  await expect(read('a.txt', 'a', { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' })
})

it('tells those who wait when it is closed', async () => {
  const pool = newPool({ script: troubleWorker, workers: 1 })
  const waiting = Array.from({ length: 20 }, (_, index) => reader(pool)(`${index}.txt`, 'wait'))
  await wait(50)
  const closed = pool.close()

  for (const one of waiting) await expect(one).rejects.toMatchObject({ code: 'aborted' })
  await closed
  await expect(reader(pool)('a.txt', 'a')).rejects.toMatchObject({ code: 'aborted' })
})

it('says what is wrong when no worker starts', async () => {
  const read = poolReader({ script: join(folder, 'no-worker.js') })

  await expect(read('a.txt', 'a')).rejects.toMatchObject({ code: 'unsupported' })
})

it('starts from a program that is no file', async () => {
  const path = join(folder, 'a.txt')
  await writeFile(path, 'words')
  const program = `
    const { createParsePool } = await import(${JSON.stringify(join(import.meta.dirname, 'parse-pool.ts'))})
    const options = { maxBytes: 1000, signal: new AbortController().signal }
    console.log((await createParsePool().read({ file: 'a.txt', path: ${JSON.stringify(path)} }, options)).outcome)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])

  expect(stdout.trim()).toBe('read')
})

it('starts again after its workers have ended for want of work', async () => {
  const read = poolReader({ idleMs: 1 })

  expect(await read('a.txt', 'words')).toMatchObject({ outcome: 'read' })
  await wait(10)
  expect(await read('b.txt', 'words')).toMatchObject({ outcome: 'read' })
})

const troubleWorker = join(import.meta.dirname, '../__fixtures__/trouble-worker.ts')

type ReaderOptions = { unlessHash?: string; maxBytes?: number; signal?: AbortSignal }
type Reader = (file: string, content: string | undefined, options?: ReaderOptions) => Promise<ReadFile>

function newPool(options?: ParsePoolOptions): ParsePool {
  const pool = createParsePool(options)
  pools.push(pool)
  return pool
}

function poolReader(options?: ParsePoolOptions): Reader {
  return reader(newPool(options))
}

function reader(pool: ParsePool): Reader {
  return async (file, content, { maxBytes = 10_000_000, signal = AbortSignal.timeout(60_000), ...options } = {}) => {
    const path = resolve(folder, file)
    if (content !== undefined) await writeFile(path, content)
    return await pool.read({ file, path }, { maxBytes, signal, ...options })
  }
}
