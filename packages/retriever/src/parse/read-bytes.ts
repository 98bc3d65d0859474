import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from 'node:fs'
import type { FoundFile } from '../data/file-record.ts'
import { type UnreadableFileError, unreadableFile } from '../data/unreadable-file.ts'

export type ReadBytesOptions = {
  /** The file that is to be read: no link is followed, and no other file is read. Absent: whatever the path leads to. */
  found?: FoundFile | undefined
  /** Reads an open file; replaced by tests. */
  readAll?(handle: number): Uint8Array
}

/**
 * Reads all bytes of a file in a consistent state.
 *
 * Synchronous, for a thread that may wait for a disk: reading many small files is several times faster this way.
 *
 * @returns `'replaced'` when the path now leads to something other than the file that was found
 * @throws UnreadableFile
 */
export function readBytes(path: string, maxBytes: number, options: ReadBytesOptions = {}): Uint8Array | 'replaced' {
  for (let attempt = 1; ; attempt++) {
    const bytes = tryToRead(path, maxBytes, options)
    if (bytes !== undefined) return bytes
    if (attempt === attempts)
      throw unreadableFile('pending', 'It was written to while it was read. The next sync reads it.')
  }
}

const attempts = 3

/** Undefined when the file changed during the read. */
function tryToRead(
  path: string,
  maxBytes: number,
  { found, readAll = readFileSync }: ReadBytesOptions,
): Uint8Array | 'replaced' | undefined {
  let handle: number | undefined
  try {
    // Opening a pipe would wait for a writer. Windows has none of these flags.
    const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants
    handle = openSync(path, O_RDONLY | O_NONBLOCK | (found ? O_NOFOLLOW : 0))
    const before = fstatSync(handle)
    if (found && !(isFound(before, found) && isAt(path, handle))) return 'replaced'
    if (!before.isFile())
      throw unreadableFile('unsupported', `It is ${before.isDirectory() ? 'a folder' : 'not a file'}.`)
    if (before.size > maxBytes) {
      throw unreadableFile('too-large', aboveLimit(before.size, maxBytes))
    }
    const bytes = readAll(handle)
    return isSame(before, fstatSync(handle)) ? bytes : undefined
  } catch (error) {
    if (found && isLink(error)) return 'replaced'
    throw isSystemError(error) ? toUnreadable(error) : error
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

/** Some network file systems change inode numbers: then size and times are compared. */
function isFound({ dev, ino, size, mtimeMs, ctimeMs }: Stats, found: FoundFile): boolean {
  const isSameFile = dev === found.device && ino === found.inode
  return isSameFile || (size === found.size && Math.max(mtimeMs, ctimeMs) === found.mtimeMs)
}

/** Whether the open file is at its path itself: a folder of the path may have been replaced by a link. */
function isAt(path: string, handle: number): boolean {
  return placeOf(path, handle) === path
}

function placeOf(path: string, handle: number): string {
  try {
    // An open file cannot be exchanged between two checks. Linux only, with /proc mounted.
    if (process.platform === 'linux') return readlinkSync(`/proc/self/fd/${handle}`)
  } catch {
    // The fallback.
  }
  return realpathSync(path)
}

/** `O_NOFOLLOW` met a link. FreeBSD and NetBSD have codes of their own for it. */
function isLink(error: unknown): boolean {
  return isSystemError(error) && ['ELOOP', 'EMLINK', 'EFTYPE'].includes(error.code ?? '')
}

function isSame(before: Stats, after: Stats): boolean {
  return before.size === after.size && before.mtimeMs === after.mtimeMs
}

/** In bytes where larger units would show one number twice: 200,000,001 of 200,000,000. */
function aboveLimit(size: number, limit: number): string {
  const isClose = inUnits(size) === inUnits(limit)
  const show = (bytes: number): string => (isClose ? `${bytes.toLocaleString('en')} bytes` : inUnits(bytes))
  return `It has ${show(size)}; at most ${show(limit)} are read.`
}

function inUnits(bytes: number): string {
  if (bytes < 10_000) return `${bytes} bytes`
  return bytes < 10_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${Math.round(bytes / 1_000_000)} MB`
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error
}

function toUnreadable(error: NodeJS.ErrnoException): UnreadableFileError {
  const reason = reasons[error.code ?? ''] ?? `The system cannot read it: ${error.code ?? error.message}.`
  return unreadableFile(error.code === 'EISDIR' ? 'unsupported' : 'corrupt', reason, error)
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'It is not there any more.',
  ENOTDIR: 'It is not there any more.',
  EACCES: 'There is no permission to read it.',
  EPERM: 'There is no permission to read it.',
  EISDIR: 'It is a folder.',
  ELOOP: 'It is a link to itself.',
}
