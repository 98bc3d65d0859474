import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { everything, tempFolder } from './__fixtures__/servers.ts'
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
