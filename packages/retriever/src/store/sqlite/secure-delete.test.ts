import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { adding, makeFile, never } from '../../__fixtures__/make-file.ts'
import { randomOf } from '../../__fixtures__/random.ts'
import { sqliteSpace } from './sqlite-space.ts'

const canary = 'CANARY of ann'
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-index-'))
})
afterEach(() => rm(folder, { recursive: true }))

it('leaves no text of deleted files on disk after a clean close, wherever it was stored', async () => {
  const random = randomOf(7)
  const store = await sqliteSpace(folder).open('a', {})
  const secret = new Set<string>()
  for (let round = 0; round < 30; round++) {
    const files = Array.from({ length: 8 }, (_, index) => {
      const isSecret = random(2) === 1
      const file = `${round}-${index}.md`
      if (isSecret) secret.add(file)
      const text = (): string => `${isSecret ? canary : 'open to all'} ${random(1e9)} `.repeat(1 + random(40))
      return makeFile(file, Array.from({ length: 1 + random(20) }, text))
    })
    await store.apply(adding(...files), never)
    // Deleted between others that stay, so that SQLite moves rows from page to page.
    const gone = [...secret].filter(() => random(3) === 0)
    for (const file of gone) secret.delete(file)
    await store.apply({ changed: [], removed: gone }, never)
  }
  expect(secret.size).toBeGreaterThan(5)
  await store.apply({ changed: [], removed: [...secret] }, never)
  await store.close()
  expect(await countCanaries()).toBe(0)
})

async function countCanaries(): Promise<number> {
  const files = await readdir(folder)
  const bytes = await Promise.all(files.map((file) => readFile(join(folder, file), 'latin1')))
  return bytes.join('').split(canary).length - 1
}
