import { linkSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { testFolder } from '../__fixtures__/test-folder.ts'
import { removeLeftovers } from './temporary-files.ts'

const folder = testFolder()
afterEach(() => {
  vi.useRealTimers()
})

/** The name of a temporary file of another machine. */
const name = '.agentkit-upload-00000000-1-00000000-0000-0000-0000-000000000000'

it('keeps a file that another machine has just linked here, even if its content is old, and removes it an hour later', async () => {
  const replaced = join(folder.path, 'a.md')
  writeFileSync(replaced, 'written long ago')
  utimesSync(replaced, 1, 1)
  linkSync(replaced, join(folder.path, name))
  await removeLeftovers(folder.path)
  expect(readdirSync(folder.path).sort()).toEqual([name, 'a.md'])
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61 * 60 * 1000 })
  await removeLeftovers(folder.path)
  expect(readdirSync(folder.path)).toEqual(['a.md'])
})
