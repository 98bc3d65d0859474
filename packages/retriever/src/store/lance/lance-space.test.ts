import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { storeContract } from '../../__fixtures__/store-contract.ts'
import { lanceSpace } from './lance-space.ts'

storeContract('lanceSpace', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agentkit-lance-'))
  const uri = join(folder, "db it's 100%")
  return {
    space: lanceSpace(uri),
    reopen: async () => lanceSpace(uri),
    cleanup: () => rm(folder, { recursive: true, force: true }),
  }
})

it.runIf(process.platform !== 'win32')('makes its folder for its owner only', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agentkit-lance-'))
  const space = lanceSpace(join(folder, 'new'))
  await space.generations()
  expect((await stat(join(folder, 'new'))).mode & 0o777).toBe(0o700)
  await space.close()
  await rm(folder, { recursive: true, force: true })
})

it('says why its folder cannot be made', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agentkit-lance-'))
  await writeFile(join(folder, 'file'), '')
  const space = lanceSpace(join(folder, 'file', 'index'))
  await expect(space.generations()).rejects.toMatchObject({
    code: 'storage',
    message: expect.stringMatching(/cannot be made: ENOTDIR.* Name an `indexPath` that this user may write\.$/),
  })
  await space.close()
  await rm(folder, { recursive: true, force: true })
})
