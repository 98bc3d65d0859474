import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startChild } from '../__fixtures__/child.ts'
import { lanceSpace } from './lance-space.ts'
import type { Store } from './store.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-lance-'))
})
afterEach(() => rm(folder, { recursive: true }))

it('is whole after a kill at any moment, and has all that was acknowledged', async () => {
  let next = 0
  for (let kill = 0; kill < 3; kill++) {
    const writer = startChild('write-lance.ts', [folder, String(next)])
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
