import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startChild } from '../../__fixtures__/child.ts'
import { indexRound } from '../../__fixtures__/index-round.ts'
import { never } from '../../__fixtures__/make-file.ts'
import type { Store } from '../store.ts'
import { lanceSpace } from './lance-space.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-lance-'))
})
afterEach(() => rm(folder, { recursive: true }))

it.each([[], ['sliced']])(
  'is whole after a kill at any moment, and has all that was acknowledged %s',
  async (...how) => {
    let next = 0
    for (let kill = 0; kill < 3; kill++) {
      const writer = startChild('write-lance.ts', [folder, String(next), 'Infinity', ...how])
      await writer.printed(String(next))
      await sleep(20 + kill * 60)
      writer.process.kill('SIGKILL')
      await writer.exited

      const store = await lanceSpace(folder).open('crash', { dimensions: 4 })
      const round = await wholeRound(store)
      expect(round).toBeGreaterThanOrEqual(Number(writer.lines.at(-1)))
      next = round + 1
      await store.close()
    }
  },
)

it('creates a table again whose creator was killed', async () => {
  // LanceDB lists a table by its folder, which is there before the first commit.
  await mkdir(join(folder, 'crash.lance', '_transactions'), { recursive: true })
  await writeFile(join(folder, 'crash.lance', '_transactions', '0-of-a-killed-process.txn'), 'unfinished')
  const space = lanceSpace(folder)
  expect(await space.generations()).toEqual(['crash'])
  const [store, other] = await Promise.all([
    space.open('crash', { dimensions: 4 }),
    lanceSpace(folder).open('crash', { dimensions: 4 }),
  ])
  await store.apply(indexRound(1), never)
  expect(await wholeRound(store)).toBe(1)
  expect(await wholeRound(other)).toBe(1)
  await other.close()
  await space.close()
})

it('has no half table after a kill while one is dropped', async () => {
  for (let kill = 0; kill < 3; kill++) {
    const space = lanceSpace(folder)
    const store = await space.open('crash', { dimensions: 4 })
    for (let round = 0; round < 20; round++) await store.apply(indexRound(round), never)
    await store.close()
    const data = join(folder, 'crash.lance', 'data')
    const files = (await readdir(data)).length
    const child = startChild('drop-lance.ts', [folder])
    await child.printed('drops')
    while ((await readdir(data).catch(() => [])).length === files) await sleep(0)
    child.process.kill('SIGKILL')
    await child.exited

    const again = await space.open('crash', { dimensions: 4 })
    expect(await again.files()).toEqual([])
    await again.apply(indexRound(1), never)
    expect(await wholeRound(again)).toBe(1)
    await again.close()
    await space.drop('crash')
    expect(await space.generations()).toEqual([])
    await space.close()
  }
})

it('has nothing twice when processes write the same at once, without a lock', async () => {
  const writers = [0, 1, 2].map(() => startChild('write-lance.ts', [folder, '0', '1']))
  expect(await Promise.all(writers.map(({ exited }) => exited))).toEqual([0, 0, 0])
  const store = await lanceSpace(folder).open('crash', { dimensions: 4 })
  expect(await wholeRound(store)).toBe(0)
  await store.close()
})

it('lets a process end that has not closed it', async () => {
  const reader = startChild('read-lance.ts', [folder])
  const [code] = (await once(reader.process, 'exit')) as [number | null]
  expect(code).toBe(0)
})

/** The one round that is in the store, whole and searchable. */
async function wholeRound(store: Store): Promise<number> {
  expect(await store.verify()).toEqual([])
  const files = await store.files()
  const quotes = (await Promise.all(files.map(({ file }) => store.chunksOf(file)))).flat().map(({ quote }) => quote)
  const [round = -1, ...others] = new Set(quotes.map((quote) => Number(quote.match(/round(\d+)x/)?.[1])))
  expect(others).toEqual([])
  expect(quotes).toHaveLength(241)
  expect(await store.searchText(`round${round}x`, { limit: 1000, filter: {} })).toHaveLength(241)
  expect(await store.searchVector(new Float32Array([1, 0, 0, 0]), { limit: 1000, filter: {} })).toHaveLength(241)
  return round
}
