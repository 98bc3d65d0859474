import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { type UnreadableFileError, unreadableFile } from '../unreadable-file.ts'

/**
 * All bytes of a file, read at one moment of its life.
 *
 * For a thread that may wait for a disk: reading many small files is several times faster so.
 *
 * @param readAll how an open file is read: for tests
 * @throws UnreadableFile
 */
export function readBytes(
  path: string,
  maxBytes: number,
  readAll: (handle: number) => Uint8Array = readFileSync,
): Uint8Array {
  for (let attempt = 1; ; attempt++) {
    const bytes = tryToRead(path, maxBytes, readAll)
    if (bytes !== undefined) return bytes
    if (attempt === attempts)
      throw unreadableFile('pending', 'It was written to while it was read. The next sync reads it.')
  }
}

const attempts = 3

/** Undefined when it has changed meanwhile. */
function tryToRead(path: string, maxBytes: number, readAll: (handle: number) => Uint8Array): Uint8Array | undefined {
  let handle: number | undefined
  try {
    // Opening a pipe would wait for someone to write into it. Windows has no such flag.
    handle = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const before = fstatSync(handle)
    if (!before.isFile()) throw unreadableFile('unsupported', `It is ${before.isDirectory() ? 'a folder' : 'no file'}.`)
    if (before.size > maxBytes) {
      throw unreadableFile('too-large', `It has ${inUnits(before.size)}; at most ${inUnits(maxBytes)} are read.`)
    }
    const bytes = readAll(handle)
    return isSame(before, fstatSync(handle)) ? bytes : undefined
  } catch (error) {
    throw isSystemError(error) ? toUnreadable(error) : error
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
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
