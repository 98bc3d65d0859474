import { chmod, copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { adding, makeFile, never } from '../../__fixtures__/make-file.ts'
import { withoutPrivileges } from '../../__fixtures__/without-privileges.ts'
import { sqliteSpace } from './sqlite-space.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-index-'))
})
afterEach(async () => {
  await chmod(folder, 0o755)
  await rm(folder, { recursive: true })
})

const all = { limit: 100, filter: {} }

/** Readable by everyone, writable by no one. */
async function lock(): Promise<void> {
  for (const name of await readdir(folder)) await chmod(join(folder, name), 0o444)
  await chmod(folder, 0o555)
}

describe.runIf(process.platform !== 'win32')('an index that may only be read', () => {
  it('is searched and verified; a change fails with the reason', async () => {
    const owner = sqliteSpace(folder)
    const written = await owner.open('a', { dimensions: 4 })
    const bees = makeFile('bees.md', ['Bees make honey', 'Bees live in hives'], { dimensions: 4 })
    await written.apply(adding(bees), never)
    await written.setMeta({ completedAt: '2020-01-01' })
    await owner.close()
    await lock()
    await withoutPrivileges(async () => {
      const space = sqliteSpace(folder)
      const store = await space.open('a', { dimensions: 4 })
      expect(await store.searchText('honey', all)).toHaveLength(1)
      expect(await store.searchVector(bees.chunks[0]?.vector as Float32Array, all)).toHaveLength(2)
      expect(await store.meta()).toEqual({ completedAt: '2020-01-01' })
      expect(await store.verify()).toEqual([])
      await expect(store.apply(adding(makeFile('more.md', ['Wax'])), never)).rejects.toMatchObject({
        code: 'storage',
        message: expect.stringMatching(/cannot be written. Allow this user/),
      })
      await expect(space.open('b', {})).rejects.toMatchObject({ code: 'storage' })
      await space.close()
    })
  })

  it('is not read without its log', async () => {
    const owner = sqliteSpace(join(folder, 'own'))
    const written = await owner.open('a', {})
    await written.apply(adding(makeFile('bees.md', ['Bees make honey'])), never)
    // Like a copy that was made during a write.
    for (const name of ['index-a.db', 'index-a.db-wal']) await copyFile(join(folder, 'own', name), join(folder, name))
    await owner.close()
    await rm(join(folder, 'own'), { recursive: true })
    await lock()
    await withoutPrivileges(async () => {
      const space = sqliteSpace(folder)
      await expect(space.open('a', {})).rejects.toMatchObject({ code: 'storage' })
      await space.close()
    })
  })
})
