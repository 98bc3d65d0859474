import { execFileSync } from 'node:child_process'
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

it('finds more files below a folder than a call has room for arguments', () => {
  mkdirSync(join(folder.path, 'many'))
  for (let count = 0; count < 13_000; count++) writeFileSync(join(folder.path, 'many', `${count}.txt`), '')
  const module = JSON.stringify(new URL('./list-files.ts', import.meta.url))
  const script = `import { filesBelow } from ${module}; console.log((await filesBelow(process.argv[1])).length)`
  // A small stack has room for a tenth of the usual arguments.
  const options = [
    '--stack-size=100',
    '--conditions=@agentkit/source',
    '--input-type=module',
    '-e',
    script,
    folder.path,
  ]
  expect(execFileSync(process.execPath, options, { encoding: 'utf8' })).toBe('13000\n')
})
