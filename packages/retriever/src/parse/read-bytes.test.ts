import { appendFileSync, chmodSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TemporaryFolder, temporaryFolder } from '../__fixtures__/temporary-folder.ts'
import { withoutPrivileges } from '../__fixtures__/without-privileges.ts'
import { readBytes } from './read-bytes.ts'

let folder: TemporaryFolder

beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder.remove())

it('reads a file again that was written to meanwhile', async () => {
  const path = await fileOf('one')
  let writes = 1

  const bytes = readBytes(path, 1_000, (handle) => {
    const read = readFileSync(handle)
    if (writes-- > 0) appendFileSync(path, ' two')
    return read
  })

  expect(Buffer.from(bytes).toString()).toBe('one two')
})

it('gives up on a file that is written to all the time', async () => {
  const path = await fileOf('one')
  const read = (): Uint8Array =>
    readBytes(path, 1_000, (handle) => {
      appendFileSync(path, ' more')
      return readFileSync(handle)
    })

  expect(read).toThrow(expect.objectContaining({ status: 'pending', message: expect.stringContaining('written to') }))
})

it('says what a file has that is too large, and what is allowed', async () => {
  const path = await fileOf('x'.repeat(20_000))

  expect(() => readBytes(path, 11_000)).toThrow(
    expect.objectContaining({ status: 'too-large', message: 'It has 20 KB; at most 11 KB are read.' }),
  )
})

it('says that it goes round in circles', () => {
  const path = join(folder.path, 'circle')
  symlinkSync(path, path)

  expect(() => readBytes(path, 1_000)).toThrow(expect.objectContaining({ status: 'corrupt' }))
})

it.runIf(process.platform !== 'win32')('says that it may not', async () => {
  const path = await fileOf('secret')
  chmodSync(folder.path, 0o755)
  chmodSync(path, 0o000)

  const reading = withoutPrivileges(() => readBytes(path, 1_000))
  await expect(reading).rejects.toMatchObject({
    status: 'corrupt',
    message: 'There is no permission to read it.',
  })
})

let count = 0

async function fileOf(content: string): Promise<string> {
  const name = `${count++}.txt`
  await folder.write(name, content)
  return join(folder.path, name)
}
