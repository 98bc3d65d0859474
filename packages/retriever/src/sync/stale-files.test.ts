import { expect, it, vi } from 'vitest'
import { makeFile } from '../__fixtures__/make-file.ts'
import { testStore } from '../__fixtures__/test-store.ts'
import type { Store } from '../store/store.ts'
import { rememberStaleFiles } from './stale-files.ts'

it('reads the records of files with old chunks alone, and not again for each search', async () => {
  const opened = await testStore([])
  const { record } = makeFile('old.md', [], { record: { status: 'corrupt', reason: 'Damaged.', stale: true } })
  const files = [record, makeFile('new.md', []).record]
  await opened.store.apply(
    { changed: files.map((one) => ({ record: one, chunks: [] })), removed: [] },
    new AbortController().signal,
  )
  const read: number[] = []
  const store: Store = {
    ...opened.store,
    async files(which) {
      const records = await opened.store.files(which)
      read.push(records.length)
      return records
    },
  }
  const staleFiles = rememberStaleFiles()
  for (let search = 0; search < 3; search++) expect([...(await staleFiles.of(store))]).toEqual(['old.md'])
  expect(read).toEqual([1])
  staleFiles.forget()
  await staleFiles.of(store)
  expect(read).toEqual([1, 1])

  // A second later it looks whether the index has changed, and reads nothing where it has not.
  const later = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 2_000)
  expect([...(await staleFiles.of(store))]).toEqual(['old.md'])
  expect(read).toEqual([1, 1])
  later.mockReturnValue(performance.now() + 2_000)
  await opened.store.apply({ changed: [], removed: ['old.md'] }, new AbortController().signal)
  expect([...(await staleFiles.of(store))]).toEqual([])
  later.mockRestore()
  await opened.close()
})
