import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { removeFile, renameFile } from './disk.ts'

async function withFolder(use: (at: (name: string) => string, names: () => Promise<string[]>) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), 'agentkit-disk-'))
  try {
    await use(
      (name) => join(folder, name),
      () => readdir(folder),
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}

it('does not find a file that was removed before it is renamed', async () => {
  await withFolder(async (at) => {
    await expect(renameFile(at('a.txt'), at('b.txt'))).rejects.toMatchObject({ code: 'not-found' })
  })
})

it('renames a file once, of two requests at the same time', async () => {
  await withFolder(async (at, names) => {
    for (let round = 0; round < 20; round++) {
      await writeFile(at('a.txt'), 'a')
      const both = await Promise.allSettled([
        renameFile(at('a.txt'), at('b.txt')),
        renameFile(at('a.txt'), at('c.txt')),
      ])
      const failed = both.filter(({ status }) => status === 'rejected')
      expect(failed).toMatchObject([{ reason: { code: 'not-found' } }])
      const left = await names()
      expect(left).toEqual([both[0].status === 'fulfilled' ? 'b.txt' : 'c.txt'])
      await removeFile(at(left[0] ?? ''))
    }
  })
})
