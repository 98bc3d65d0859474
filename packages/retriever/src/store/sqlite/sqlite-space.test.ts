import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storeContract } from '../../__fixtures__/store-contract.ts'
import { sqliteSpace } from './sqlite-space.ts'

const makeSpace = async () => {
  const root = await mkdtemp(join(tmpdir(), 'agentkit-index-'))
  const folder = join(root, 'data', 'index')
  return {
    space: sqliteSpace(folder),
    reopen: async () => sqliteSpace(folder),
    cleanup: () => rm(root, { recursive: true }),
  }
}

storeContract('sqliteSpace', makeSpace)
storeContract('sqliteSpace without vectors', makeSpace, { dimensions: 0 })
