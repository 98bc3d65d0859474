import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import type { Chunk } from '../../data/chunk.ts'
import { createParsePool, type ParsePool } from './parse-pool.ts'
import { createSpools, type Spools } from './spool.ts'

const options = { maxBytes: 200_000_000, signal: AbortSignal.timeout(120_000) }

let folder: string
let pool: ParsePool
let spools: Spools
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-spool-'))
  pool = createParsePool({ processes: 1 })
  spools = createSpools(join(folder, 'state'))
  return async () => {
    spools.close()
    await pool.close()
    await rm(folder, { recursive: true })
  }
})

it('returns the passages of a large file in slices, the same ones and in order, any number of times', async () => {
  const file = await writeTable(60_000)
  const whole = (await chunksOf(file)) as Chunk[]
  const sliced = await chunksOf(file, spools)
  if (Array.isArray(sliced)) throw new Error('It was held in memory.')

  expect(sliced.length).toBe(whole.length)
  for (let round = 0; round < 2; round++) {
    const all: Chunk[] = []
    for await (const slice of sliced.slices()) {
      expect(slice.length).toBeLessThan(1_000)
      all.push(...slice)
    }
    expect(all).toEqual(whole)
  }
})

it('keeps the passages of smaller files in memory', async () => {
  expect(await chunksOf(await writeTable(500), spools)).toBeInstanceOf(Array)
})

it('leaves no named file behind when a process is killed', async () => {
  const sliced = await chunksOf(await writeTable(60_000), spools)
  expect(sliced).not.toBeInstanceOf(Array)
  if (process.platform !== 'win32') expect(await readdir(join(folder, 'state'))).toEqual([])
})

it('fails the caller when the passages cannot be written, and reads the next file', async () => {
  const file = await writeTable(60_000)
  // A file is where the folder should be.
  await writeFile(join(folder, 'taken'), '')
  await expect(chunksOf(file, createSpools(join(folder, 'taken')))).rejects.toMatchObject({
    code: 'storage',
    message: expect.stringContaining('Free space on its disk'),
  })

  const full: Spools = { open: () => ({ ...spools.open(), add: fail }), close: () => {} }
  await expect(chunksOf(file, full)).rejects.toThrow('ENOSPC')
  expect(await chunksOf(await writeTable(500), spools)).toBeInstanceOf(Array)
})

function fail(): never {
  throw new Error('ENOSPC: no space left on device, write')
}

async function writeTable(rows: number): Promise<string> {
  const lines = Array.from(
    { length: rows },
    (_, row) => `ORD-${row},Customer ${row % 977},${row * 7},paid,a short comment`,
  )
  await writeFile(join(folder, 'table.csv'), ['id,name,amount,status,comment', ...lines].join('\n'))
  return 'table.csv'
}

async function chunksOf(file: string, to?: Spools) {
  const read = await pool.read({ file, path: join(folder, file) }, { ...options, ...(to && { spools: to }) })
  if (read.outcome !== 'read') throw new Error(JSON.stringify(read))
  return read.chunks
}
