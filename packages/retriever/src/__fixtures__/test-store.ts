import { sqliteSpace } from '../store/sqlite/sqlite-space.ts'
import type { Store } from '../store/store.ts'
import type { NewChunk } from '../data/chunk.ts'
import { never } from './make-file.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A real store with chunks, and what ends it. */
export type TestStore = { store: Store; close(): Promise<void> }

/** Puts chunks, with their vectors, into an index on disk. */
export async function testStore(chunks: readonly NewChunk[]): Promise<TestStore> {
  const folder = await temporaryFolder()
  const space = sqliteSpace(folder.path)
  const dimensions = chunks.find(({ vector }) => vector)?.vector?.length
  const store = await space.open('test', dimensions === undefined ? {} : { dimensions })
  const files = Map.groupBy(chunks, ({ file }) => file)
  const changed = [...files].map(([file, all]) => {
    const known = { file, size: 1, mtimeMs: 1, hash: file, status: 'ok', characters: 1 } as const
    return { record: { ...known, chunks: all.length }, chunks: all }
  })
  await store.apply({ changed, removed: [] }, never)
  return {
    store,
    async close() {
      await store.close()
      await space.close()
      await folder.remove()
    },
  }
}
