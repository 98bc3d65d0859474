import { readdirSync, readlinkSync, statSync } from 'node:fs'
import { mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { SessionStore } from '@agentkit/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sqliteSessions } from '../sqlite-sessions.ts'
import { openFile } from './shared-file.ts'

it.each([
  ['normal', 1],
  ['full', 2],
] as const)(
  'opens every connection in write-ahead mode, with short waits: durability %s',
  async (durability, level) => {
    const folder = await mkdtemp(join(tmpdir(), 'agentkit-sessions-'))
    const { database } = openFile(join(folder, 'sessions.db'), durability)
    const pragma = (name: string): unknown => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]
    expect(pragma('journal_mode')).toBe('wal')
    expect(pragma('synchronous')).toBe(level)
    expect(pragma('foreign_keys')).toBe(1)
    expect(pragma('busy_timeout')).toBeLessThanOrEqual(50)
    database.close()
    await rm(folder, { recursive: true })
  },
)

describe.runIf(process.platform === 'linux')('stores of one file', () => {
  let folder: string
  let path: string
  const stores: SessionStore[] = []
  const opened = async (at = path): Promise<SessionStore> => {
    const store = sqliteSessions(at)
    stores.push(store)
    await begin(store)
    return store
  }
  /** A separate session for each store, so that they do not wait for each other. */
  let begun = 0
  const begin = (store: SessionStore): Promise<void> => {
    begun++
    const key = { agentId: 'helper', userId: 'ann', sessionId: `s${begun}` }
    return store.begin(key, { runId: `r${begun}`, expectedVersion: 0, input: [] })
  }
  const descriptors = (): number =>
    readdirSync('/proc/self/fd').filter((number) => {
      try {
        return readlinkSync(`/proc/self/fd/${number}`).startsWith(folder)
      } catch {
        return false
      }
    }).length

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'agentkit-sessions-')))
    path = join(folder, 'data', 'sessions.db')
  })
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()))
    expect(descriptors()).toBe(0)
    await rm(folder, { recursive: true })
  })

  it('create files and folders that only their owner can read', async () => {
    const file = join(folder, 'new', 'sessions.db')
    await opened(file)
    for (const made of [file, `${file}-wal`]) expect([made, statSync(made).mode & 0o777]).toEqual([made, 0o600])
    expect(statSync(join(folder, 'new')).mode & 0o777).toBe(0o700)
  })

  it('create the target of a link so that only its owner can read it', async () => {
    const target = join(folder, 'volume.db')
    const link = join(folder, 'link.db')
    await symlink(target, link)
    await opened(link)
    for (const file of [target, `${target}-wal`]) expect([file, statSync(file).mode & 0o777]).toEqual([file, 0o600])
  })

  it('hold as many descriptors as one store, even if none is closed', async () => {
    await opened()
    const ofOne = descriptors()
    for (let count = 1; count < 600; count++) await opened()
    expect(descriptors()).toBe(ofOne)
  })

  it('share it by any path that leads to it', async () => {
    await opened()
    const ofOne = descriptors()
    await symlink(join(folder, 'data'), join(folder, 'link'))
    await symlink(path, join(folder, 'link.db'))
    for (const other of [relative(process.cwd(), path), join(folder, 'link', 'sessions.db'), join(folder, 'link.db')]) {
      await opened(other)
    }
    expect(descriptors()).toBe(ofOne)
  })

  it('keep working when another one is closed, and the last one closes the file', async () => {
    const first = await opened()
    const second = await opened()
    await first.close()
    await first.close()
    await begin(second)
    await expect(begin(first)).rejects.toMatchObject({ code: 'storage' })
    await second.close()
    expect(descriptors()).toBe(0)
  })

  it('do not share it with stores of other durability', async () => {
    await opened()
    const ofOne = descriptors()
    const full = sqliteSessions(path, { durability: 'full' })
    stores.push(full)
    await begin(full)
    expect(descriptors()).toBeGreaterThan(ofOne)
  })

  it('are closed when they are garbage-collected', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    await begin(sqliteSessions(path))
    for (let turn = 0; turn < 200 && descriptors() > 0; turn++) {
      collect()
      await new Promise(setImmediate)
    }
    expect(descriptors()).toBe(0)
  })
})
