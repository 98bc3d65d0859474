import { existsSync } from 'node:fs'
import { readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type TemporaryFolder, temporaryFolder } from '../__fixtures__/temporary-folder.ts'
import { watchFolder } from './watch-folder.ts'

let place: TemporaryFolder
let folder: string
let controller: AbortController
beforeEach(async () => {
  place = await temporaryFolder()
  folder = join(place.path, 'files')
  controller = new AbortController()
})
afterEach(async () => {
  controller.abort()
  await place.remove()
})

const write = (file: string, text: string): Promise<void> => place.write(`files/${file}`, text)

/** Watches without polling. Records the content of a file at the last reported change. */
async function watching(file: string) {
  const watched = { seen: '', looks: 0 }
  watchFolder(folder, {
    except: join(folder, 'index'),
    signal: controller.signal,
    quietMs: 10,
    pollMs: 1e8,
    async onChange() {
      watched.seen = await readFile(join(folder, file), 'utf8').catch(() => 'nothing')
      watched.looks++
    },
  })
  await vi.waitFor(() => expect(watched.looks).toBeGreaterThan(0), { timeout: 60_000 })
  return {
    watched,
    async sees(text: string): Promise<void> {
      await vi.waitFor(() => expect(watched.seen).toBe(text), { timeout: 60_000 })
    },
  }
}

describe('a file', () => {
  it.each([
    [
      'is replaced by another',
      async (text: string) => {
        await write('.a.md.swap', text)
        await rename(join(folder, '.a.md.swap'), join(folder, 'a.md'))
      },
    ],
    [
      'is moved away and written again',
      async (text: string) => {
        await rename(join(folder, 'a.md'), join(folder, 'a.md~'))
        await write('a.md', text)
      },
    ],
    ['is written in its place', (text: string) => write('a.md', text)],
  ])('that %s is seen each time', async (_how, save) => {
    await write('a.md', 'first')
    const { sees } = await watching('a.md')
    for (const text of ['second', 'third', 'fourth', 'fifth']) {
      await save(text)
      await sees(text)
    }
  })

  it('is seen in new and renamed folders', async () => {
    await write('a.md', 'first')
    const { sees } = await watching('new/deep/b.md')
    await write('new/deep/b.md', 'second')
    await sees('second')
    await rename(join(folder, 'new'), join(folder, 'other'))
    await sees('nothing')
    await rename(join(folder, 'other'), join(folder, 'new'))
    await sees('second')
    await write('new/deep/b.md', 'third')
    await sees('third')
  })
})

describe('a folder', () => {
  it('that is deleted and created again is still watched', async () => {
    await write('a.md', 'first')
    const { sees } = await watching('a.md')
    await rm(folder, { recursive: true })
    await sees('nothing')
    for (const text of ['second', 'third']) {
      await write('a.md', text)
      await sees(text)
    }
  })

  it('that another one replaced is still watched', async () => {
    await write('a.md', 'first')
    const { sees } = await watching('a.md')
    await rename(folder, join(place.path, 'old'))
    for (const text of ['second', 'third']) {
      await write('a.md', text)
      await sees(text)
    }
  })

  it('that the first sync creates is watched, with its parents, and not created before', async () => {
    folder = join(place.path, 'files/deep/er')
    const looks: string[] = []
    watchFolder(folder, {
      except: join(place.path, 'index'),
      signal: controller.signal,
      quietMs: 10,
      pollMs: 1e8,
      async onChange() {
        looks.push(await readFile(join(folder, 'a.md'), 'utf8').catch(() => (existsSync(folder) ? 'empty' : 'missing')))
        // Like a user who has waited for the folder.
        if (looks.length === 1) await write('deep/er/a.md', 'first')
      },
    })
    await vi.waitFor(() => expect(looks).toEqual(['missing', 'first']), { timeout: 60_000 })
    await write('deep/er/a.md', 'second')
    await vi.waitFor(() => expect(looks.at(-1)).toBe('second'), { timeout: 60_000 })
  })

  it('does not report the index inside of it, nor hidden files', async () => {
    await write('a.md', 'first')
    await write('index/b.md', 'ours')
    const { watched, sees } = await watching('a.md')
    await write('index/b.md', 'ours again')
    await write('.hidden', 'nobody reads it')
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(watched.looks).toBe(1)
    await write('a.md', 'second')
    await sees('second')
  })
})
