import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { AgentKitError } from '@agentkit/core'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import type { Chunk } from '../../data/chunk.ts'
import { cpuMicrosOf } from './parse-limits.ts'
import { createParsePool, type ParsePool, type ParsePoolOptions, type ReadFile } from './parse-pool.ts'

let folder: string
let read: Reader
/** A pool for files that make trouble. */
let readTrouble: Reader
const pools: ParsePool[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-pool-'))
  const pool = createParsePool()
  const troubled = createParsePool({ script: troubleWorker, processes: 1, memoryMb: 300 })
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

it('does not parse a file whose hash is known', async () => {
  const { hash } = await read('a.txt', 'words')

  expect(await read('a.txt', 'words', { unlessHash: hash })).toEqual({ outcome: 'unchanged', hash })
  expect(await read('a.txt', 'other words', { unlessHash: hash })).toMatchObject({ outcome: 'read' })
})

it('returns a large file whole and in order, though it arrives in parts', async () => {
  const lines = Array.from({ length: 60_000 }, (_, index) => `Line ${index} of a rather large file.`)
  const large = await read('large.txt', lines.join('\n'))

  expect(large.outcome).toBe('read')
  const { chunks, characters } = large as ReadFile<Chunk[]> & { outcome: 'read' }
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
  expect(await read('/dev/null', undefined)).toMatchObject({ status: 'unsupported', reason: 'It is not a file.' })
})

it.each([
  ['memory', 'too-large', 'Reading it takes more than 300 MB of memory.'],
  ['buffers', 'too-large', 'Reading it takes more than 300 MB of memory.'],
  ['loop', 'too-large', 'Reading it takes more than 0.5 seconds of CPU time.'],
  ['hang', 'too-large', 'Reading it takes longer than 2.5 seconds.'],
  ['crash', 'corrupt', 'Its parser failed: Out of ink.'],
  ['exit', 'corrupt', 'Its parser failed: its process ended without an error message'],
  ['throw', 'corrupt', 'Its parser failed: Not a page.'],
])('isolates other files from %s', async (trouble, status, reason) => {
  const isSlow = ['loop', 'hang'].includes(trouble)
  // On a busy machine the wall-clock limit would come first.
  const wallPerCpu = trouble === 'hang' ? 5 : 1_000
  const read = poolReader({ script: troubleWorker, memoryMb: 300, cpuSeconds: isSlow ? 0.5 : 60, wallPerCpu })
  const reads = await Promise.all(['one', trouble, 'two'].map((content, index) => read(`${index}.txt`, content)))

  expect(reads).toMatchObject([{ outcome: 'read' }, { outcome: 'unreadable', status, reason }, { outcome: 'read' }])
})

it('records the limits that a file exceeded, so that it is not read again within the same ones', async () => {
  const read = poolReader({ script: troubleWorker, memoryMb: 300, cpuSeconds: 0.5, wallPerCpu: 1_000 })

  expect(await read('loop.txt', 'loop')).toMatchObject({ hash: 'exceeds 300 MB 0.5 s' })
})

it('grants a file CPU time by its size', () => {
  const limits = { memoryMb: 512, cpuSeconds: 60 }

  expect([0, 868, 1_500_000, 200_000_000].map((bytes) => cpuMicrosOf(bytes, limits) / 1e6)).toEqual([
    5, 5.00868, 20, 60,
  ])
})

it('does not count the time of its caller', async () => {
  const read = poolReader({ script: troubleWorker, cpuSeconds: 0.5 })
  await read('0.txt', 'ready')
  const lines = Array.from({ length: 60_000 }, (_, index) => `Line ${index} of a rather large file.`)
  const large = read('large.txt', lines.join('\n'))
  await wait(0)
  // Longer than the wall-clock limit of a file.
  const until = performance.now() + 3_000
  while (performance.now() < until);

  expect(await large).toMatchObject({ outcome: 'read' })
})

it('passes only the path and the locale to its processes', async () => {
  vi.stubEnv('SOME_API_KEY', 'secret').stubEnv('LC_ALL', 'C')
  const read = poolReader({ script: troubleWorker })
  const env = await read('env.txt', 'env').finally(() => vi.unstubAllEnvs())

  const { chunks } = env as ReadFile<Chunk[]> & { outcome: 'read' }
  const names = chunks
    .map(({ quote }) => quote)
    .join('')
    .split(' ')
  expect(names).toEqual(expect.arrayContaining(['PATH', 'LC_ALL']))
  expect(names.filter((name) => !/^(PATH|LANG|LANGUAGE|LC_[A-Z]+)$/.test(name))).toEqual([])
})

it('interrupts no file when its processes receive a signal together with their parent', async () => {
  const [file] = await Promise.all([readTrouble('0.txt', 'signal')])

  expect(file).toMatchObject({ outcome: 'read' })
})

it('retries a file whose worker died after it had read others', async () => {
  const lines = ['tired', ...Array.from({ length: 60_000 }, (_, index) => `Line ${index} of a rather large file.`)]
  await readTrouble('first.txt', 'words')
  const again = await readTrouble('tired.txt', lines.join('\n'))

  expect(again.outcome).toBe('read')
  const { chunks } = again as ReadFile<Chunk[]> & { outcome: 'read' }
  expect(
    chunks
      .map((chunk) => chunk.quote)
      .join('\n')
      .split('\n'),
  ).toEqual(lines)
})

it.each(['wait', 'loop'])('stops at once when it is aborted, and is free for others: %s', async (trouble) => {
  await readTrouble('0.txt', 'ready')
  const stop = new AbortController()
  const stopped = readTrouble('1.txt', trouble, { signal: stop.signal })
  await wait(100)
  const queued = readTrouble('2.txt', 'queued', { signal: stop.signal })
  const other = readTrouble('3.txt', 'other')
  await wait(100)
  stop.abort()

  const outcomes = await Promise.allSettled([stopped, queued])
  expect(outcomes).toMatchObject(Array(2).fill({ status: 'rejected', reason: { code: 'aborted' } }))
  expect(await other).toMatchObject({ outcome: 'read' })
})

it('refuses a call that is aborted before it starts', async () => {
  await expect(read('a.txt', 'a', { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' })
})

it('rejects pending calls when it is closed', async () => {
  const pool = newPool({ script: troubleWorker, processes: 1 })
  const path = join(folder, 'wait.txt')
  await writeFile(path, 'wait')
  const options = { maxBytes: 1_000, signal: AbortSignal.timeout(60_000) }
  const waiting = Array.from({ length: 20 }, () => pool.read({ file: 'wait.txt', path }, options))
  const closed = pool.close()

  const failures = await Promise.all(waiting.map((one) => one.catch((error: unknown) => error)))
  expect(new Set(failures.map((failure) => (failure as AgentKitError).code))).toEqual(new Set(['aborted']))
  await closed
  await expect(reader(pool)('a.txt', 'a')).rejects.toMatchObject({ code: 'aborted' })
})

it('reports why no process starts', async () => {
  const read = poolReader({ script: join(folder, 'no-worker.js') })

  await expect(read('a.txt', 'a')).rejects.toMatchObject({ code: 'unsupported' })
})

it('works in a program without a file, and lets it exit', async () => {
  const path = join(folder, 'a.txt')
  await writeFile(path, 'words')
  const program = `
    const { createParsePool } = await import(${JSON.stringify(join(import.meta.dirname, 'parse-pool.ts'))})
    const options = { maxBytes: 1000, signal: new AbortController().signal }
    const pools = [createParsePool(), createParsePool()]
    for (const pool of pools)
      console.log((await pool.read({ file: 'a.txt', path: ${JSON.stringify(path)} }, options)).outcome)
    // The other pool still has a process, and lets the program exit.
    await pools[0].close()
    console.log('closed')`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])

  expect(stdout.trim()).toBe('read\nread\nclosed')
})

it('keeps a program alive whose file comes while an idle process ends', async () => {
  const path = join(folder, 'a.txt')
  await writeFile(path, 'words')
  const program = `
    const { createParsePool } = await import(${JSON.stringify(join(import.meta.dirname, 'parse-pool.ts'))})
    const { setTimeout: turn } = await import('node:timers/promises')
    const options = { maxBytes: 1000, signal: new AbortController().signal }
    const pool = createParsePool({ idleMs: 50 })
    for (const time of ['first', 'second']) {
      console.log(time, (await pool.read({ file: 'a.txt', path: ${JSON.stringify(path)} }, options)).outcome)
      // Busy for longer: the idle time is over as soon as others have their turn.
      for (const until = Date.now() + 100; Date.now() < until; );
      await turn(0)
    }`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])

  expect(stdout.trim()).toBe('first read\nsecond read')
})

it('starts new workers after idle ones have exited', async () => {
  const read = poolReader({ idleMs: 1 })

  expect(await read('a.txt', 'words')).toMatchObject({ outcome: 'read' })
  await wait(10)
  expect(await read('b.txt', 'words')).toMatchObject({ outcome: 'read' })
})

const troubleWorker = join(import.meta.dirname, '../../__fixtures__/trouble-worker.ts')

type ReaderOptions = { unlessHash?: string; maxBytes?: number; signal?: AbortSignal }
type Reader = (file: string, content: string | undefined, options?: ReaderOptions) => Promise<ReadFile<Chunk[]>>

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
    // Without `spools` all passages are in memory.
    return (await pool.read({ file, path }, { maxBytes, signal, ...options })) as ReadFile<Chunk[]>
  }
}
