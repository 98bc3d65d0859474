import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sqliteSpace } from './sqlite-space.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-index-'))
})
afterEach(() => rm(folder, { recursive: true }))

it('is consistent after a kill at any moment, and has everything that was acknowledged', async () => {
  let next = 0
  for (let kill = 0; kill < 5; kill++) {
    const acknowledged = await writeUntilKilled(next, kill)
    const store = await sqliteSpace(folder).open('crash', { dimensions: 4 })
    expect(await store.verify()).toEqual([])
    const files = await store.files()
    const quotes = (await Promise.all(files.map(({ file }) => store.chunksOf(file)))).flat().map(({ quote }) => quote)
    const rounds = new Set(quotes.map((quote) => Number(quote.match(/round(\d+)x/)?.[1])))
    const [round = -1] = rounds
    expect(rounds.size).toBeLessThanOrEqual(1)
    expect(round).toBeGreaterThanOrEqual(acknowledged)
    expect(quotes).toHaveLength(round < 0 ? 0 : 241)
    if (round >= 0) {
      expect(await store.searchText(`round${round}x`, { limit: 1_000, filter: {} })).toHaveLength(241)
      expect(await store.searchVector(new Float32Array([1, 0, 0, 0]), { limit: 1_000, filter: {} })).toHaveLength(241)
    }
    await store.close()
    next = round + 1
  }
  expect(next).toBeGreaterThan(3)
})

/** Lets a process write rounds from `first` on, kills it, and returns the last round that it acknowledged. */
async function writeUntilKilled(first: number, kill: number): Promise<number> {
  const script = fileURLToPath(new URL('../../__fixtures__/write-index.ts', import.meta.url))
  const words = ['--conditions=@agentkit/source', '--no-warnings', script, folder, String(first)]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const reader = createInterface({ input: child.stdout })
  const lines: string[] = []
  reader.on('line', (line) => void lines.push(line))
  const ended = Promise.all([once(child, 'exit'), once(reader, 'close')])
  // The first kill comes while the index is new, the others during a later round.
  while (lines.length < (kill === 0 ? 1 : 2)) await once(reader, 'line')
  await sleep(10 + kill * 30)
  child.kill('SIGKILL')
  await ended
  return lines.length > 1 ? Number(lines.at(-1)) : first - 1
}
