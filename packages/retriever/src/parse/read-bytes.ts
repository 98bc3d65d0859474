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
import { type UnreadableFileError, unreadableFile } from '../data/unreadable-file.ts'

/** A file as its folder's scan found it, under its real path. */
export type FoundFile = {
  device: number
  inode: number
  size: number
  /** When its bytes or its place last changed. */
  mtimeMs: number
}

export type ReadBytesOptions = {
  /** The file that is to be read: no link is followed, and no other file is read. Absent, whatever the path leads to. */
  found?: FoundFile | undefined
  /** How an open file is read: for tests. */
  readAll?(handle: number): Uint8Array
}

/**
 * All bytes of a file, read at one moment of its life.
 *
 * For a thread that may wait for a disk: reading many small files is several times faster so.
 *
 * @returns `'replaced'` where something else than the file that was found is at its path now
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

/** Undefined when it has changed meanwhile. */
function tryToRead(
  path: string,
  maxBytes: number,
  { found, readAll = readFileSync }: ReadBytesOptions,
): Uint8Array | 'replaced' | undefined {
  let handle: number | undefined
  try {
    // Opening a pipe would wait for someone to write into it. Windows has none of these flags.
    const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants
    handle = openSync(path, O_RDONLY | O_NONBLOCK | (found ? O_NOFOLLOW : 0))
    const before = fstatSync(handle)
    if (found && !(isFound(before, found) && isAt(path, handle))) return 'replaced'
    if (!before.isFile()) throw unreadableFile('unsupported', `It is ${before.isDirectory() ? 'a folder' : 'no file'}.`)
    if (before.size > maxBytes) {
      throw unreadableFile('too-large', `It has ${inUnits(before.size)}; at most ${inUnits(maxBytes)} are read.`)
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

/** Some network disks number a file anew each time: then its size and times have to do. */
function isFound({ dev, ino, size, mtimeMs, ctimeMs }: Stats, found: FoundFile): boolean {
  const isSameFile = dev === found.device && ino === found.inode
  return isSameFile || (size === found.size && Math.max(mtimeMs, ctimeMs) === found.mtimeMs)
}

/** Whether the open file lies at its path itself: a folder on the way may have become a link. */
function isAt(path: string, handle: number): boolean {
  return placeOf(path, handle) === path
}

function placeOf(path: string, handle: number): string {
  try {
    // What is open cannot be exchanged between two looks. Linux only, and only where /proc is mounted.
    if (process.platform === 'linux') return readlinkSync(`/proc/self/fd/${handle}`)
  } catch {
    // The next best.
  }
  return realpathSync(path)
}

/** `O_NOFOLLOW` has met one. FreeBSD and NetBSD have codes of their own for it. */
function isLink(error: unknown): boolean {
  return isSystemError(error) && ['ELOOP', 'EMLINK', 'EFTYPE'].includes(error.code ?? '')
}

function isSame(before: Stats, after: Stats): boolean {
  return before.size === after.size && before.mtimeMs === after.mtimeMs
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
