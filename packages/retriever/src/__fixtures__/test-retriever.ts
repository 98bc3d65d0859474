import { join } from 'node:path'
import { checkRetrieverOptions, type RetrieverOptions } from '../options.ts'
import { type Retriever, retrieverOf } from '../retriever.ts'
import type { SyncParts } from '../sync/sync.ts'
import { type MemorySpace, memorySpace } from './memory-space.ts'
import { type ParagraphPool, paragraphPool } from './paragraph-pool.ts'
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts'

/** Retrievers of one folder, whose index is in memory and whose files are made of paragraphs. */
export interface TestLibrary {
  readonly files: TemporaryFolder
  readonly space: MemorySpace
  readonly pool: ParagraphPool
  /** Another one of the same folder and index: as another process would make it. */
  retriever(options?: RetrieverOptions, measureTrust?: SyncParts['measureTrust']): Retriever
  /** Closes all. */
  close(): Promise<void>
}

export async function testLibrary(): Promise<TestLibrary> {
  const folder = await temporaryFolder()
  const files: TemporaryFolder = {
    ...folder,
    path: join(folder.path, 'files'),
    write: (file, content) => folder.write(`files/${file}`, content),
  }
  const space = memorySpace()
  const pool = paragraphPool()
  const made: Retriever[] = []
  return {
    files,
    space,
    pool,
    retriever(options, measureTrust = async () => 1) {
      const where = { folder: files.path, indexPath: join(folder.path, 'index') }
      const retriever = retrieverOf(checkRetrieverOptions({ ...where, ...options }), {
        pool,
        openSpace: () => space,
        measureTrust,
      })
      made.push(retriever)
      return retriever
    },
    async close() {
      for (const retriever of made) await retriever.close()
      await folder.remove()
    },
  }
}
