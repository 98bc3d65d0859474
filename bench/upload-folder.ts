import { mkdirSync, readdirSync } from 'node:fs'
import type { Knowledge, Tool } from '@agentkit/core'

/** Files that are kept and not searched, so that uploads are measured without a retriever. */
export function uploadFolder(folder: string): Knowledge {
  mkdirSync(folder, { recursive: true })
  // The same list each time: its tools have not changed.
  const tools: Tool[] = []
  const files = async (): Promise<string[]> => readdirSync(folder)
  return {
    folder,
    tools: () => tools,
    files,
    sync: async () => {
      const { length: indexed } = await files()
      return { indexed, unchanged: 0, removed: 0, pending: 0, chunks: 0, skipped: [], warnings: [], mode: 'text' }
    },
    records: async () => (await files()).map((file) => ({ file, status: 'ok', size: 0 })),
    close: async () => {},
  }
}
