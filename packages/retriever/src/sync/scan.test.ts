import { execFileSync } from 'node:child_process'
import { renameSync, symlinkSync } from 'node:fs'
import { chmod, mkdir, rename, stat, symlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { never } from '../__fixtures__/make-file.ts'
import { type TemporaryFolder, temporaryFolder } from '../__fixtures__/temporary-folder.ts'
import { withoutPrivileges } from '../__fixtures__/without-privileges.ts'
import { type Scan, scanFolder } from './scan.ts'

let folder: TemporaryFolder
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder.remove())

const supported = new Set(['.md', '.txt'])
const scan = (path = folder.path, options: { exts?: Set<string>; except?: string } = {}): Promise<Scan> =>
  scanFolder(path, { exts: supported, supported, signal: never, ...options })
const namesOf = ({ files }: Scan): string[] => files.map(({ file }) => file)

it('finds files of all folders, sorted by path', async () => {
  await folder.write('z.md', 'one')
  await folder.write('a/deep/b.txt', 'two')
  await folder.write('a.MD', 'three')
  const { files } = await scan()
  expect(files.map(({ file, size }) => [file, size])).toEqual([
    ['a.MD', 5],
    ['a/deep/b.txt', 3],
    ['z.md', 3],
  ])
  expect(files[0]?.path).toBe(join(folder.path, 'a.MD'))
})

it('skips hidden files and folders, and the folder of the index', async () => {
  await folder.write('.env.md', 'secret')
  await folder.write('.git/notes.md', 'history')
  await folder.write('~$report.md', 'open in Word')
  await folder.write('data/index/a.md', 'ours')
  await folder.write('data/a.md', 'theirs')
  expect(namesOf(await scan(folder.path, { except: join(folder.path, 'data', 'index') }))).toEqual(['data/a.md'])
})

it('follows no link that replaces a file or a folder during the scan', async () => {
  const outside = await temporaryFolder()
  await outside.write('secret.md', 'not yours')
  await folder.write('a.md', 'one')
  await folder.write('b/secret.md', 'harmless')
  let looks = 0
  const exts = new Set(['.md'])
  // Replaced before the first file is examined.
  exts.has = () => {
    if (looks++ > 0) return true
    for (const name of ['a.md', 'b']) {
      renameSync(join(folder.path, name), join(outside.path, `${name}.away`))
      symlinkSync(name === 'b' ? outside.path : join(outside.path, 'secret.md'), join(folder.path, name))
    }
    return true
  }
  const found = await scan(folder.path, { exts })
  expect(namesOf(found)).toEqual([])
  expect(found.unseen).toEqual([
    { file: 'a.md', status: 'unsupported', reason: expect.stringContaining('leads out') },
    { file: 'b/', status: 'unsupported', reason: expect.stringContaining('leads out') },
  ])
  await outside.remove()
})

it.runIf(process.platform !== 'win32')('finds no pipe that takes the place of a file while it looks', async () => {
  await folder.write('a.md', 'one')
  const exts = new Set(['.md'])
  exts.has = () => {
    renameSync(join(folder.path, 'a.md'), join(folder.path, '.away'))
    execFileSync('mkfifo', [join(folder.path, 'a.md')])
    return true
  }
  expect(namesOf(await scan(folder.path, { exts }))).toEqual([])
})

it('creates a missing folder', async () => {
  const path = join(folder.path, 'not', 'yet')
  expect(namesOf(await scan(path))).toEqual([])
  expect((await stat(path)).isDirectory()).toBe(true)
})

it('returns selected files, files of other types, and files without a parser', async () => {
  for (const file of ['a.md', 'b.txt', 'c.doc', 'd']) await folder.write(file, '-')
  const found = await scan(folder.path, { exts: new Set(['.md']) })
  expect(namesOf(found)).toEqual(['a.md'])
  expect([...found.others].sort()).toEqual(['b.txt', 'c.doc', 'd'])
  expect(found.unsupported).toEqual(['c.doc', 'd'])
})

it('follows links inside of the folder, to each file once, and never out of it', async () => {
  const outside = await temporaryFolder()
  await outside.write('secret.md', 'not yours')
  await folder.write('in/real.md', 'real')
  await folder.write('in/.current/config.md', 'mounted')
  await symlink(join(outside.path, 'secret.md'), join(folder.path, 'leak.md'))
  await symlink(outside.path, join(folder.path, 'leak'))
  await symlink(join(folder.path, 'in'), join(folder.path, 'again'))
  await symlink(join(folder.path, 'in/real.md'), join(folder.path, 'alias.md'))
  await symlink('.current/config.md', join(folder.path, 'in/config.md'))
  await symlink('..', join(folder.path, 'in/circle'))
  await symlink('nowhere', join(folder.path, 'broken.md'))
  const found = await scan()
  expect(namesOf(found)).toEqual(['in/config.md', 'in/real.md'])
  expect(found.unseen).toEqual([
    { file: 'broken.md', status: 'unsupported', reason: expect.stringContaining('leads nowhere') },
    { file: 'leak/', status: 'unsupported', reason: expect.stringContaining('copy its files into it') },
    { file: 'leak.md', status: 'unsupported', reason: expect.stringContaining('copy the file into it') },
  ])
  await outside.remove()
})

it.runIf(process.platform !== 'win32')(
  'names pipes, circles and what is linked to them, by the names they have',
  async () => {
    execFileSync('mkfifo', [join(folder.path, 'pipe.md'), join(folder.path, 'pipe')])
    await symlink('pipe', join(folder.path, 'link.md'))
    await symlink('circle.md', join(folder.path, 'circle.md'))
    const found = await scan()
    expect(found.unseen.map(({ file, status }) => [file, status])).toEqual([
      ['pipe.md', 'unsupported'],
      ['circle.md', 'unsupported'],
      ['link.md', 'unsupported'],
    ])
    expect(found.unsupported).toEqual(['pipe'])
  },
)

it('works below a folder that is a link itself', async () => {
  await folder.write('real/a.md', 'one')
  await symlink(join(folder.path, 'real'), join(folder.path, 'link'))
  expect(namesOf(await scan(join(folder.path, 'link')))).toEqual(['a.md'])
})

it('detects a file that replaced another one with the same size and time', async () => {
  const time = new Date('2020-01-01')
  await folder.write('a.md', 'one')
  await folder.write('b.md', 'two')
  for (const file of ['a.md', 'b.md']) await utimes(join(folder.path, file), time, time)
  const before = await scan()
  await new Promise((resolve) => setTimeout(resolve, 20))
  await rename(join(folder.path, 'b.md'), join(folder.path, 'a.md'))
  const after = await scan()
  expect(after.files[0]?.size).toBe(before.files[0]?.size)
  expect(after.files[0]?.mtimeMs).not.toBe(before.files[0]?.mtimeMs)
})

it.runIf(process.platform !== 'win32')('names the folder that it may not read', async () => {
  await folder.write('locked/a.md', 'one')
  await chmod(folder.path, 0o755)
  await chmod(join(folder.path, 'locked'), 0)
  const found = await withoutPrivileges(() => scan())
  await chmod(join(folder.path, 'locked'), 0o700)
  expect(found.unseen).toEqual([{ file: 'locked/', status: 'corrupt', reason: expect.stringContaining('EACCES') }])
})

it('names the fix when the path is not a folder', async () => {
  await folder.write('file', '-')
  await mkdir(join(folder.path, 'folder'))
  await expect(scan(join(folder.path, 'file'))).rejects.toMatchObject({ code: 'storage' })
  await expect(scan(join(folder.path, 'file'))).rejects.toThrow('is a file: name the folder')
})

it('stops when it is aborted', async () => {
  for (let index = 0; index < 300; index++) await folder.write(`${index}/a.md`, '-')
  const controller = new AbortController()
  controller.abort()
  await expect(
    scanFolder(folder.path, { exts: supported, supported, signal: controller.signal }),
  ).rejects.toMatchObject({ code: 'aborted' })
})
