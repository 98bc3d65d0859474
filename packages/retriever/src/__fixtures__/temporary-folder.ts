import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A folder that is removed after the tests that use it. */
export interface TemporaryFolder {
  readonly path: string
  /** Writes a file in the folder, and creates its parent folders. */
  write(file: string, content: string | Uint8Array): Promise<void>
  remove(): Promise<void>
}

export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'agentkit-retriever-'))
  return {
    path,
    async write(file, content) {
      await mkdir(dirname(join(path, file)), { recursive: true })
      await writeFile(join(path, file), content)
    },
    remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  }
}
