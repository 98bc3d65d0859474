import { createHash } from 'node:crypto'
import { abortError } from '@agentkit/core/internal'
import { chunkId, textHash } from '../data/chunk-id.ts'
import type { ParsePool } from '../parse/pool/parse-pool.ts'
import { readBytes } from '../parse/read-bytes.ts'
import type { FoundFile } from '../data/file-record.ts'

export interface ParagraphPool extends ParsePool {
  /** Files that were read, by name; those whose hash was enough too. */
  readonly wasRead: string[]
  /** Called before each reading: may wait. */
  beforeRead: (file: string) => Promise<void> | void
}

/** A pool that makes each paragraph a chunk, in this thread. Files that begin with `%broken` cannot be read. */
export function paragraphPool(): ParagraphPool {
  const read: string[] = []
  const pool: ParagraphPool = {
    wasRead: read,
    beforeRead: () => {},
    async read({ file, path, found }, { unlessHash, maxBytes, signal }) {
      await pool.beforeRead(file)
      if (signal.aborted) throw abortError(signal)
      read.push(file)
      const bytes = bytesOf(path, found)
      if (bytes === 'replaced') return { outcome: 'replaced', hash: '' }
      const text = bytes === undefined ? undefined : Buffer.from(bytes).toString()
      if (text === undefined) return { outcome: 'unreadable', hash: '', status: 'corrupt', reason: 'It is not there.' }
      const hash = createHash('sha256').update(text).digest('hex')
      if (hash === unlessHash) return { outcome: 'unchanged', hash }
      if (text.length > maxBytes) return { outcome: 'unreadable', hash, status: 'too-large', reason: 'It is too large.' }
      if (text.startsWith('%broken')) return { outcome: 'unreadable', hash, status: 'corrupt', reason: 'It is broken.' }
      if (text.trim() === '') return { outcome: 'unreadable', hash, status: 'no-text', reason: 'There is no text in it.' }
      let start = 0
      const chunks = text.split('\n\n').map((quote, order) => {
        const chunk = { id: chunkId(file, quote, 0), file, order, quote, start, end: start + quote.length, textHash: textHash(quote) }
        start = chunk.end + 2
        return chunk
      })
      const isGarbled = text.includes('%garbled')
      const parsed = isGarbled ? ({ status: 'low-quality', reason: 'It is garbled.' } as const) : ({ status: 'ok' } as const)
      return { outcome: 'read', hash, parsed, characters: text.length, chunks }
    },
    extract: () => Promise.reject(new Error('not needed')),
    async close() {},
  }
  return pool
}

function bytesOf(path: string, found: FoundFile | undefined): Uint8Array | 'replaced' | undefined {
  try {
    return readBytes(path, Number.POSITIVE_INFINITY, { found })
  } catch {
    return undefined
  }
}
