import { constants, type Stats } from 'node:fs'
import { type FileHandle, link, lstat, open, readdir, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline, Readable, Transform } from 'node:stream'
import { isDiskFull, systemCode } from '@agentkit/core/internal'
import { ProblemError } from '../answer/problem.ts'

/** The problem of an operation on the disk that has failed. */
export function diskProblem(cause: unknown): ProblemError {
  if (cause instanceof ProblemError) return cause
  if (isDiskFull(cause)) {
    return new ProblemError('insufficient-storage', {
      detail: 'The disk is full, so the files were not stored.',
      cause,
    })
  }
  if (systemCode(cause) === 'ENAMETOOLONG') return new ProblemError('invalid-filename', { cause })
  return new ProblemError('storage', { detail: 'The files could not be stored or read.', cause })
}

/**
 * The name under which a folder has a file: requests name it in Unicode's composed form, and files from a Mac often have
 * names in the decomposed form.
 * @returns the given name when there is no such file
 */
export async function nameOnDisk(folder: string, name: string): Promise<string> {
  if (name.normalize('NFD') === name || (await statOf(join(folder, name)))) return name
  const names = await readdir(folder).catch(() => [])
  return names.find((one) => one.normalize() === name) ?? name
}

/** The size of a file; undefined when there is no file of this path. Links are no files. */
export async function sizeOf(path: string): Promise<number | undefined> {
  const stats = await statOf(path)
  return stats?.isFile() ? stats.size : undefined
}

/** The stats of a path, without following a link; undefined if nothing is there. */
export async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw diskProblem(error)
  }
}

/**
 * Opens a file to read it. Never through a link, and never a pipe or a device, which would block.
 * @returns undefined when there is no file of this path
 */
export async function openFile(path: string): Promise<{ handle: FileHandle; size: number } | undefined> {
  // Windows has no flag against links.
  if ((await sizeOf(path)) === undefined) return undefined
  let handle: FileHandle
  try {
    handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    if (isMissing(error)) return undefined
    throw diskProblem(error)
  }
  const stats = await handle.stat()
  if (stats.isFile()) return { handle, size: stats.size }
  await handle.close()
  return undefined
}

/**
 * The bytes of an open file, not more than its size at the start; the file is closed with the stream. One that has become
 * shorter ends by an error: a client that knows the size would wait for the rest.
 */
export function bytesOf({ handle, size }: { handle: FileHandle; size: number }): ReadableStream {
  let left = size
  const counted = new Transform({
    transform(chunk: Buffer, _, done) {
      left -= chunk.length
      done(null, chunk)
    },
    flush: (done) => done(left > 0 ? new Error('The file has become shorter while it was read.') : null),
  })
  // A failure is the error of the stream that is returned.
  pipeline(handle.createReadStream({ start: 0, end: Math.max(0, size - 1) }), counted, () => {})
  // TypeScript knows two ReadableStreams, the DOM's and Node's; at run time there is one.
  return Readable.toWeb(counted) as ReadableStream
}

/** Removes a file; a link itself is not a file. @returns whether there was one */
export async function removeFile(path: string): Promise<boolean> {
  if ((await sizeOf(path)) === undefined) return false
  try {
    await unlink(path)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw diskProblem(error)
  }
}

/**
 * Renames a file, and never replaces another one.
 * @throws ProblemError `file-exists`; `not-found` also if another request has just removed or renamed it
 */
export async function renameFile(from: string, to: string): Promise<void> {
  try {
    // A rename would replace a file that was created a moment ago.
    await link(from, to)
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw new ProblemError('file-exists')
    if (isMissing(error)) throw new ProblemError('not-found')
    if (await statOf(to)) throw new ProblemError('file-exists')
    // The file system has no links.
    return rename(from, to).catch((cause: unknown) => Promise.reject(diskProblem(cause)))
  }
  if (await removeFile(from)) return
  // The other request was first: its result stays alone.
  await removeFile(to)
  throw new ProblemError('not-found')
}

function isMissing(error: unknown): boolean {
  // ELOOP: a link, which is not followed.
  const code = systemCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENXIO'
}
