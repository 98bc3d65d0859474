import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { everything, hostile, isRunning, processIds, tempFolder } from './__fixtures__/servers.ts'
import { acceptPins } from './accept-pins.ts'
import { inspectServer } from './connect-server.ts'
import { checkServer } from './options.ts'

it('an inspected server is compared with its pins, and nothing is pinned', async () => {
  using place = tempFolder()
  const pins = join(place.folder, 'lock.json')
  const server = checkServer({
    ...{ command: process.execPath, args: [everything, 'stdio'], tools: ['echo', 'get-sum'], name: 'every', pins },
  })
  expect(await inspectServer(server)).toEqual({ tools: 2, warnings: [], changed: [], unpinned: ['echo', 'get-sum'] })
  expect(existsSync(pins)).toBe(false)
  const lock = JSON.stringify({ version: 1, servers: { every: { tools: { echo: 'sha256-other' } } } })
  writeFileSync(pins, lock)
  expect(await inspectServer(server)).toMatchObject({ changed: ['echo'], unpinned: ['get-sum'] })
  expect(readFileSync(pins, 'utf8')).toBe(lock)
})

it.each([
  ['inspected', (folder: string) => inspectServer(checkServer(hostile('correct', folder)))],
  ['pinned', (folder: string) => acceptPins(hostile('correct', folder), undefined)],
  ['refused', (folder: string) => acceptPins(hostile('correct', folder), 'ecko').catch(() => {})],
])('the process of a server that was %s ends', async (_, work) => {
  using place = tempFolder()
  await work(place.folder)
  expect(processIds(place.folder)).not.toEqual([])
  await vi.waitFor(() => expect(processIds(place.folder).filter(isRunning)).toEqual([]), { timeout: 60_000 })
})
