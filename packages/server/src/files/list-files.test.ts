import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { testFolder } from '../__fixtures__/test-folder.ts'
import { filesBelow } from './list-files.ts'

const folder = testFolder()

it('finds the files below a folder, without hidden ones and links, and none below a missing folder', async () => {
  const at = (name: string): string => join(folder.path, name)
  mkdirSync(at('a'))
  for (const name of ['b.txt', '.hidden', 'a/c.txt']) writeFileSync(at(name), 'x')
  symlinkSync(at('b.txt'), at('link.txt'))
  expect((await filesBelow(folder.path)).sort()).toEqual([at('a/c.txt'), at('b.txt')])
  expect(await filesBelow(at('b.txt'))).toEqual([at('b.txt')])
  expect(await filesBelow(at('gone.txt'))).toEqual([])
})
