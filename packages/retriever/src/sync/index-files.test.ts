import { afterEach, beforeEach, expect, it } from 'vitest'
import { testStore } from '../__fixtures__/test-store.ts'
import type { Store } from '../store/store.ts'
import { indexFiles } from './index-files.ts'

let store: Store
let close: () => Promise<void>
beforeEach(async () => {
  ;({ store, close } = await testStore([]))
})
afterEach(() => close())

it('is aborted also while a process takes a large sync into the indexes, which is not done here then', async () => {
  const stop = new AbortController()
  const openWriter = (): ReturnType<NonNullable<Store['openWriter']>> => ({
    apply: store.apply,
    end: async () => stop.abort(),
    stop: async () => {},
  })
  const large = { file: 'a.txt', path: '/a.txt', size: 9_000_000, mtimeMs: 1, device: 1, inode: 1 }
  const indexing = indexFiles(
    { read: [large], unchanged: [], removed: [] },
    {
      store: { ...store, openWriter },
      pool: {
        read: async () => ({ outcome: 'replaced', hash: '' }),
        extract: () => Promise.reject(new Error('Nothing is extracted.')),
        close: async () => {},
      },
      spoolFolder: '/',
      maxFileBytes: 1e9,
      signal: stop.signal,
      onApplied() {},
    },
  )
  await expect(indexing).rejects.toMatchObject({ code: 'aborted' })
})
