import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeFile, never } from '../../__fixtures__/make-file.ts'
import { type TemporaryFolder, temporaryFolder } from '../../__fixtures__/temporary-folder.ts'
import type { StoreSpace } from '../store.ts'
import { lanceSpace } from './lance-space.ts'

let folder: TemporaryFolder
let space: StoreSpace
let started: ChildProcess[]
let stop: AbortController | undefined
function onStart(message: unknown): void {
  started.push((message as { process: ChildProcess }).process)
  stop?.abort()
}
beforeEach(async () => {
  folder = await temporaryFolder()
  space = lanceSpace(folder.path)
  started = []
  stop = undefined
  subscribe('child_process', onStart)
})
afterEach(async () => {
  unsubscribe('child_process', onStart)
  await space.close()
  await folder.remove()
})

const passages = (count: number): string[] => Array.from({ length: count }, (_, place) => `Heron ${place} stands still`)

it('maintains a large table in a process of its own, which an abort ends', async () => {
  const store = await space.open('first', { dimensions: 4_096 })
  await store.apply({ changed: [makeFile('herons.md', passages(2_100), { dimensions: 4_096 })], removed: [] }, never)

  stop = new AbortController()
  await expect(store.maintain(stop.signal)).rejects.toMatchObject({ code: 'aborted' })
  expect(started.map(({ signalCode }) => signalCode)).toEqual(['SIGKILL'])

  await store.maintain(never)
  expect(started).toHaveLength(2)
  expect(started[1]?.spawnargs.some((part) => part.includes('writer-process'))).toBe(true)
  expect(started[1]?.exitCode).toBe(0)
  expect(await store.searchText('heron', { limit: 5_000, filter: {} })).toHaveLength(2_100)
  expect(await store.verify()).toEqual([])

  // There is nothing left to do.
  await store.maintain(never)
  expect(started).toHaveLength(2)
})

it('maintains a small table in this process', async () => {
  const store = await space.open('first', {})
  await store.apply({ changed: [makeFile('herons.md', passages(200))], removed: [] }, never)
  await store.maintain(never)
  expect(started).toEqual([])
})
