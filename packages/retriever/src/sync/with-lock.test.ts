import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { never } from '../__fixtures__/make-file.ts'
import { type TemporaryFolder, temporaryFolder } from '../__fixtures__/temporary-folder.ts'
import { withLock } from './with-lock.ts'

let folder: TemporaryFolder
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder.remove())

it('runs one piece of work at a time, and returns its result', async () => {
  let inside = 0
  let most = 0
  const work = async (): Promise<number> => {
    most = Math.max(most, ++inside)
    await sleep(5)
    return inside--
  }
  const path = join(folder.path, 'made', 'by', 'it')
  expect(await Promise.all([1, 2, 3, 4].map(() => withLock(path, never, work)))).toEqual([1, 1, 1, 1])
  expect(most).toBe(1)
})

it.runIf(process.platform !== 'win32')('makes its folder for its owner only', async () => {
  const path = join(folder.path, 'new')
  await withLock(path, never, async () => {})
  expect((await stat(path)).mode & 0o777).toBe(0o700)
})

it('releases the lock when the work fails', async () => {
  const fail = (): Promise<void> => Promise.reject(new Error('broken'))
  await expect(withLock(folder.path, never, fail)).rejects.toThrow('broken')
  expect(await withLock(folder.path, never, async () => 'next')).toBe('next')
})

it('stops waiting when it is aborted', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const holder = withLock(folder.path, never, () => held)
  const controller = new AbortController()
  let wasDone = false
  const waiting = withLock(folder.path, controller.signal, async () => {
    wasDone = true
  })
  await sleep(60)
  controller.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' })
  release()
  await holder
  expect(wasDone).toBe(false)
})

it('asks for space when the disk of the lock is full', async () => {
  const full = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 })
  const begin = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(() => {
    throw full
  })
  const locking = withLock(folder.path, never, async () => {})
  await expect(locking).rejects.toMatchObject({
    code: 'storage',
    message: `The index in "${folder.path}" cannot be written: database or disk is full. Free space on its disk.`,
  })
  begin.mockRestore()
})

it('names the fix when the lock cannot be created', async () => {
  await writeFile(join(folder.path, 'file'), '')
  const locking = withLock(join(folder.path, 'file'), never, async () => {})
  await expect(locking).rejects.toMatchObject({ code: 'storage' })
  await expect(locking).rejects.toThrow('Name an `indexPath`')
})
