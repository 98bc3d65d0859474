import { stat } from 'node:fs/promises'
import { assertNever } from '@agentkit/core/internal'
import type { Chunk } from '../data/chunk.ts'
import type { ChunkSlices } from '../data/chunk-slices.ts'
import { extOf } from '../data/ext-of.ts'
import type { FileRecord } from '../data/file-record.ts'
import { isMissingFile } from '../data/unreadable-file.ts'
import type { ParsePool } from '../parse/pool/parse-pool.ts'
import type { SpooledChunks, Spools } from '../parse/pool/spool.ts'
import { type FileToRead, timeToRemember } from './plan.ts'

/** The outcome of reading a file. */
export type FileChange = {
  file: FileToRead
  /** `'unchanged'`: only its record differs. `'gone'`: the file was deleted after the scan. */
  outcome: 'indexed' | 'unchanged' | 'unreadable' | 'gone'
  record: FileRecord
  chunks: readonly Chunk[] | SpooledChunks | ChunkSlices | 'keep'
}

export type ReadFilesOptions = {
  pool: ParsePool
  /** Storage for the passages of large files. */
  spools: Spools
  /** Whether passages in memory stay as bytes, for another process. */
  isPacked: boolean
  maxFileBytes: number
  signal: AbortSignal
}

/**
 * The number of files that are read or buffered at once: enough that no worker waits for this thread, which serves them
 * every few milliseconds only, and few enough to bound the memory.
 */
const atOnce = { least: 4, most: 256, bytes: 2_000_000 }

/** Reads files concurrently, and yields each as soon as it is done. Files that are not consumed delay the next. */
export async function* readFiles(
  files: readonly FileToRead[],
  { pool, spools, isPacked, maxFileBytes, signal: outer }: ReadFilesOptions,
): AsyncGenerator<FileChange, void, undefined> {
  const stop = new AbortController()
  const signal = AbortSignal.any([outer, stop.signal])
  const done: FileChange[] = []
  let failure: { error: unknown } | undefined
  let running = 0
  /** The bytes of files that are being read or buffered. */
  let bytes = 0
  let wake = (): void => {}

  const readOne = async (file: FileToRead): Promise<void> => {
    running++
    bytes += file.size
    try {
      const readAt = Date.now()
      const { device, inode, size, mtimeMs } = file
      const { hash, status } = file.known ?? {}
      // Nothing is known of a file that was too large, whatever its hash.
      const unlessHash = status === 'too-large' ? undefined : hash
      const read = await pool.read(
        { file: file.file, path: file.path, size, found: { device, inode, size, mtimeMs } },
        { ...(unlessHash && { unlessHash }), maxBytes: maxFileBytes, signal, spools, isPacked },
      )
      const change = toChange({ ...file, mtimeMs: timeToRemember(mtimeMs, readAt) }, read)
      done.push(change.outcome === 'unreadable' && (await isGone(file.path)) ? { ...change, outcome: 'gone' } : change)
    } catch (error) {
      failure ??= { error }
    } finally {
      running--
      wake()
    }
  }

  const hasRoom = (): boolean => {
    const count = running + done.length
    return count < atOnce.least || (count < atOnce.most && bytes < atOnce.bytes)
  }

  try {
    for (let next = 0; next < files.length || running > 0 || done.length > 0; ) {
      while (next < files.length && hasRoom()) void readOne(files[next++] as FileToRead)
      if (failure) throw failure.error
      const first = done.shift()
      if (first) {
        bytes -= first.file.size
        yield first
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    }
    if (failure) throw failure.error
  } finally {
    stop.abort()
  }
}

type Read = Awaited<ReturnType<ParsePool['read']>>

function toChange(file: FileToRead, read: Read): FileChange {
  const { size, mtimeMs, known } = file
  if (read.outcome === 'replaced') {
    // The next sync reads the current file; the times of `known` belong to another one.
    if (known) return { file, outcome: 'unchanged', record: known, chunks: 'keep' }
    const nothing = { file: file.file, size, mtimeMs, hash: '', status: 'corrupt', chunks: 0, characters: 0 } as const
    return { file, outcome: 'gone', record: nothing, chunks: 'keep' }
  }
  const seen = { file: file.file, size, mtimeMs, hash: read.hash }
  switch (read.outcome) {
    case 'unchanged':
      // The request contained the known hash.
      return { file, outcome: 'unchanged', record: { ...(known as FileRecord), ...seen }, chunks: 'keep' }
    case 'unreadable': {
      const { status, reason } = read
      const failed = { ...seen, status, reason }
      const isEmptied = status === 'no-text' && !holdsPictures(file.file)
      if (known && known.chunks > 0 && !isEmptied) {
        return { file, outcome: 'unreadable', record: { ...known, ...failed, stale: true }, chunks: 'keep' }
      }
      return { file, outcome: 'unreadable', record: { ...failed, chunks: 0, characters: 0 }, chunks: [] }
    }
    case 'read': {
      const { parsed, chunks, characters } = read
      const counts = { chunks: chunks.length, characters }
      if (chunks.length > 0) {
        return { file, outcome: 'indexed', record: { ...seen, ...parsed, ...counts }, chunks }
      }
      const nothing = { status: 'no-text', reason: 'There is no text in it.' } as const
      return { file, outcome: 'unreadable', record: { ...seen, ...parsed, ...nothing, ...counts }, chunks }
    }
    default:
      return assertNever(read)
  }
}

/** Whether an earlier version of a file without text is kept. For other types, no text means that it was emptied. */
function holdsPictures(file: string): boolean {
  return ['.pdf', '.docx'].includes(extOf(file))
}

async function isGone(path: string): Promise<boolean> {
  try {
    await stat(path)
    return false
  } catch (error) {
    return isMissingFile(error)
  }
}
