import { existsSync } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type TemporaryFolder, temporaryFolder } from '../__fixtures__/temporary-folder.ts'
import { openJournal } from './journal.ts'

let folder: TemporaryFolder
let path: string
beforeEach(async () => {
  folder = await temporaryFolder()
  path = join(folder.path, 'state', 'embeddings.db')
})
afterEach(() => folder.remove())

const vectors = new Map([
  ['one', Float32Array.of(0.25, -1)],
  ['two', Float32Array.of(1, 0)],
])

it.runIf(process.platform !== 'win32')('is for its owner only, as is its folder', async () => {
  const journal = openJournal(path)
  journal.add(vectors)
  for (const [made, mode] of [
    ['state', 0o700],
    ['state/embeddings.db', 0o600],
    ['state/embeddings.db-wal', 0o600],
  ] as const) {
    expect([made, (await stat(join(folder.path, made))).mode & 0o777]).toEqual([made, mode])
  }
  journal.close(true)
})

it('keeps vectors for the next sync, until they are in the index', async () => {
  const first = openJournal(path)
  first.add(vectors)
  first.close(false)

  const second = openJournal(path)
  expect(second.vectorsOf(['two', 'one', 'three'])).toEqual(vectors)
  second.close(true)
  expect(await readdir(join(folder.path, 'state'))).toEqual([])
  expect(openJournal(path).vectorsOf(['one'])).toEqual(new Map())
})

it('deletes the vectors that it is asked to', () => {
  const journal = openJournal(path)
  journal.add(vectors)
  journal.forget(['one', 'three'])
  expect([...journal.vectorsOf(['one', 'two']).keys()]).toEqual(['two'])
  journal.close(false)
})

it('creates no file when nothing is written', () => {
  const journal = openJournal(path)
  expect(journal.vectorsOf(['one'])).toEqual(new Map())
  journal.close(false)
  expect(existsSync(path)).toBe(false)
})

it('starts with an empty file when the file is damaged', async () => {
  await folder.write('state/embeddings.db', '')
  await writeFile(path, 'This is no database at all, but it is long enough to look like one. '.repeat(99))
  const journal = openJournal(path)
  expect(journal.vectorsOf(['one'])).toEqual(new Map())
  journal.add(vectors)
  expect(journal.vectorsOf(['one', 'two'])).toEqual(vectors)
  journal.close(true)
})

it('starts again when a damaged part of the file is read', async () => {
  const hashes = Array.from({ length: 3_000 }, (_, place) => `text-${place}`)
  const first = openJournal(path)
  first.add(new Map(hashes.map((hash) => [hash, new Float32Array(64).fill(1)])))
  first.close(false)
  const bytes = await readFile(path)
  await writeFile(path, bytes.fill(0xab, 40 * 4_096, 140 * 4_096))

  const journal = openJournal(path)
  expect(journal.vectorsOf(hashes).size).toBeLessThan(hashes.length)
  journal.add(vectors)
  expect(journal.vectorsOf(['one', 'two'])).toEqual(vectors)
  journal.close(true)
})
