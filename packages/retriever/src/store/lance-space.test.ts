import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storeContract } from '../__fixtures__/store-contract.ts'
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
