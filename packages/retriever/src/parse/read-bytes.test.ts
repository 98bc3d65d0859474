import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TemporaryFolder, temporaryFolder } from '../__fixtures__/temporary-folder.ts'
import { withoutPrivileges } from '../__fixtures__/without-privileges.ts'
import type { FoundFile } from '../data/file-record.ts'
import { readBytes } from './read-bytes.ts'

let folder: TemporaryFolder

beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder.remove())

it('reads a file again that was written to during the read', async () => {
  const path = await fileOf('one')
  let writes = 1

  const bytes = readBytes(path, 1_000, {
    readAll(handle) {
      const read = readFileSync(handle)
      if (writes-- > 0) appendFileSync(path, ' two')
      return read
    },
  })

  expect(textOf(bytes)).toBe('one two')
})

it('gives up on a file that changes continuously', async () => {
  const path = await fileOf('one')
  const read = () =>
    readBytes(path, 1_000, {
      readAll(handle) {
        appendFileSync(path, ' more')
        return readFileSync(handle)
      },
    })

  expect(read).toThrow(expect.objectContaining({ status: 'pending', message: expect.stringContaining('written to') }))
})

it('reports the size of a file that is too large, and the limit', async () => {
  const path = await fileOf('x'.repeat(20_000))

  expect(() => readBytes(path, 11_000)).toThrow(
    expect.objectContaining({ status: 'too-large', message: 'It has 20 KB; at most 11 KB are read.' }),
  )
})

it('reports both in bytes where the file is just above the limit', async () => {
  const path = await fileOf('x'.repeat(20_001))

  expect(() => readBytes(path, 20_000)).toThrow(
    expect.objectContaining({ message: 'It has 20,001 bytes; at most 20,000 bytes are read.' }),
  )
})

it('reports a loop of links', () => {
  const path = join(folder.path, 'circle')
  symlinkSync(path, path)

  expect(() => readBytes(path, 1_000)).toThrow(expect.objectContaining({ status: 'corrupt' }))
})

it.runIf(process.platform !== 'win32')('reports the missing permission', async () => {
  const path = await fileOf('secret')
  chmodSync(folder.path, 0o755)
  chmodSync(path, 0o000)

  const reading = withoutPrivileges(() => readBytes(path, 1_000))
  await expect(reading).rejects.toMatchObject({
    status: 'corrupt',
    message: 'There is no permission to read it.',
  })
})

describe('a file that a scan has found', () => {
  const foundAt = (path: string): FoundFile => {
    const { dev: device, ino: inode, size, mtimeMs, ctimeMs } = lstatSync(path)
    return { device, inode, size, mtimeMs: Math.max(mtimeMs, ctimeMs) }
  }

  it('is read, even when it was written to since', async () => {
    const path = await fileOf('one')
    const found = foundAt(path)
    appendFileSync(path, ' two')
    expect(textOf(readBytes(path, 1_000, { found }))).toBe('one two')
  })

  it('is not read when it was replaced by a link, a pipe or another file', async () => {
    const secret = await fileOf('secret')
    const changes = [
      (path: string) => symlinkSync(secret, path),
      (path: string) => writeFileSync(path, 'another'),
      (path: string) => process.platform !== 'win32' && execFileSync('mkfifo', [path]),
      (path: string) => mkdirSync(path),
    ]
    for (const change of changes) {
      const path = await fileOf('one')
      const found = foundAt(path)
      // Keeps the inode, which another file could get otherwise.
      renameSync(path, `${path}.away`)
      change(path)
      expect(readBytes(path, 1_000, { found })).toBe('replaced')
    }
  })

  it('is not read when a folder of its path was replaced by a link to it', async () => {
    const outside = await temporaryFolder()
    await outside.write('a/secret.txt', 'secret')
    const path = join(folder.path, 'swapped', 'secret.txt')
    symlinkSync(join(outside.path, 'a'), join(folder.path, 'swapped'))
    expect(readBytes(path, 1_000, { found: foundAt(path) })).toBe('replaced')
    await outside.remove()
  })

  it('is read on a file system with unstable inode numbers', async () => {
    const path = await fileOf('one')
    const found = foundAt(path)
    expect(textOf(readBytes(path, 1_000, { found: { ...found, inode: found.inode + 1 } }))).toBe('one')
  })
})

function textOf(bytes: Uint8Array | 'replaced'): string {
  return bytes === 'replaced' ? bytes : Buffer.from(bytes).toString()
}

let count = 0

async function fileOf(content: string): Promise<string> {
  const name = `${count++}.txt`
  await folder.write(name, content)
  return join(folder.path, name)
}
