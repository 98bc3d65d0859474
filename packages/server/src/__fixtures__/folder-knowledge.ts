import { hash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { AgentKitError, type FileInfo, type Knowledge, type Passage, type SyncReport } from '@agentkit/core'

/** Knowledge of the text files of a real folder: each is one passage, and one that contains "BROKEN" cannot be read. */
export type FolderKnowledge = Knowledge & {
  folder: string
  /** Ids of passages, by file. */
  ids: Map<string, string>
  syncs: number
  isSeparate: boolean
  /** Thrown by the next syncs. */
  failure: Error | undefined
  /** Awaited by the next syncs. */
  pause: Promise<void> | undefined
}

export function folderKnowledge(folder: string): FolderKnowledge {
  let records: FileInfo[] = []
  const passages = new Map<string, Passage>()
  const knowledge: FolderKnowledge = {
    folder,
    exts: ['.md', '.txt', '.pdf', '.docx'],
    ids: new Map(),
    syncs: 0,
    isSeparate: false,
    failure: undefined,
    pause: undefined,
    tools: () => [],
    async sync(): Promise<SyncReport> {
      knowledge.syncs++
      await knowledge.pause
      if (knowledge.failure) throw knowledge.failure
      records = []
      passages.clear()
      const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
      for (const entry of entries) {
        if (!entry.isFile() || entry.name.startsWith('.')) continue
        const path = join(entry.parentPath, entry.name)
        const file = relative(folder, path)
        const { size } = await stat(path)
        // Only what the tests look at is read.
        const text = size > 1_000_000 ? '' : await readFile(path, 'utf8')
        const isBroken = text.includes('BROKEN')
        records.push({ file, size, ...(isBroken ? { status: 'corrupt', reason: 'It is damaged.' } : { status: 'ok' }) })
        const id = hash('sha256', file + text).slice(0, 24)
        knowledge.ids.set(file, id)
        passages.set(id, { file, start: 2, end: text.length, quote: text.slice(2), before: text.slice(0, 2), after: '' })
      }
      const nothing = { unchanged: 0, removed: 0, pending: 0, chunks: 0, skipped: [], warnings: [] }
      return { ...nothing, indexed: records.length, mode: 'text' }
    },
    files: async () => records.map(({ file }) => file),
    records: async () => records,
    async passage(id, { context = 1000 } = {}) {
      const passage = passages.get(id)
      if (passage) return { ...passage, before: passage.before.slice(0, context) }
      throw new AgentKitError('not-found', 'There is no such passage.')
    },
    separateUsers() {
      knowledge.isSeparate = true
    },
    close: async () => {},
  }
  return knowledge
}
