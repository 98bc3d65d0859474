import { constants } from 'node:fs'
import { copyFile, link, mkdir, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { ProblemError } from '../answer/problem.ts'
import type { RouteParts } from '../request/parts.ts'
import type { ServerContext } from '../util/server-env.ts'
import type { AgentFiles, Scope } from './agent-files.ts'
import { diskProblem, nameOnDisk, renameFile, statOf } from './disk.ts'
import { extensionOf } from './file-name.ts'
import { type FileDetail, knownFiles } from './list-files.ts'
import { syncIn } from './sync-in.ts'
import { forget, removeTemporary, temporaryPath } from './temporary-files.ts'

/** A file that has arrived, under a temporary name. */
export type ReceivedFile = {
  name: string
  /** Absolute. */
  path: string
  /** In bytes. */
  size: number
  /** The hash of the file's bytes, hexadecimal. */
  sha256: string
}

type StoreOptions = { agent: AgentFiles; scope: Scope; parts: RouteParts; context: ServerContext }

/**
 * Moves received files to their names, each at once, and makes them searchable. A file of the same name is replaced.
 * @throws ProblemError `unprocessable-file` when none can be read; then the folder is as it was before
 */
export async function storeFiles(files: readonly ReceivedFile[], options: StoreOptions): Promise<FileDetail[]> {
  const { agent, scope } = options
  const moved: Moved[] = []
  try {
    // Only a user's folder may be missing.
    await mkdir(scope.folder, { recursive: true, mode: 0o700 })
    for (const file of files) moved.push(await move(file, scope, agent))
    const details = await makeSearchable(files, options)
    if (details.every(isUnreadable)) throw unprocessable(details)
    return details
  } catch (error) {
    // Once: later, another upload may have a file of the same name, and the inode that is free by then.
    await putBack(moved)
    const problem = diskProblem(error)
    if (problem.code === 'unprocessable-file') await syncIn(agent, options)
    throw problem
  } finally {
    for (const { before } of moved) if (before !== undefined) await removeTemporary(before)
  }
}

/**
 * Renames a stored file, in the index too.
 * @throws ProblemError `unprocessable-file` when it cannot be read as the type of its new name; it then keeps the old one
 */
export async function renameStored(from: string, to: string, options: StoreOptions): Promise<void> {
  const { agent, scope } = options
  const before = join(scope.folder, from)
  const after = join(scope.folder, await nameOnDisk(scope.folder, to))
  await renameFile(before, after)
  const details = await makeSearchable([{ name: to, size: 0 }], options)
  // Under the same type it is as readable as it was.
  if (!details.every(isUnreadable) || extensionOf(from) === extensionOf(to)) return
  await renameFile(after, before)
  await syncIn(agent, options)
  throw unprocessable(details)
}

type Moved = {
  to: string
  inode: number
  /** The path at which the file that had this name before is kept. */
  before?: string
}

async function move({ path, name }: ReceivedFile, { folder }: Scope, agent: AgentFiles): Promise<Moved> {
  const to = join(folder, await nameOnDisk(folder, name))
  const there = await statOf(to)
  if (there?.isDirectory()) throw new ProblemError('file-exists', { detail: `"${name}" is the name of a folder.` })
  const inode = (await statOf(path))?.ino ?? 0
  const before = there?.isFile() ? temporaryPath(agent.folder) : undefined
  try {
    const isKept = before !== undefined && (await keep(to, before))
    await rename(path, to)
    forget(path)
    return { to, inode, ...(isKept && { before }) }
  } catch (error) {
    if (before !== undefined) await removeTemporary(before)
    throw error
  }
}

/** Keeps a file under a second path. @returns false when another request has just removed it */
async function keep(path: string, second: string): Promise<boolean> {
  try {
    await link(path, second)
  } catch {
    if (!(await statOf(path))) {
      forget(second)
      return false
    }
    // Some disks have no links, such as USB sticks and those of some networks.
    await copyFile(path, second, constants.COPYFILE_FICLONE)
  }
  return true
}

/** Restores the files that were there before, unless another request has replaced them again. */
async function putBack(moved: readonly Moved[]): Promise<void> {
  for (const { to, inode, before } of moved) {
    if ((await statOf(to))?.ino !== inode) continue
    await (before === undefined ? unlink(to) : rename(before, to)).catch(() => {})
  }
}

async function makeSearchable(
  files: readonly Pick<ReceivedFile, 'name' | 'size'>[],
  options: StoreOptions,
): Promise<FileDetail[]> {
  const { agent, scope } = options
  const problem = await syncIn(agent, options)
  const records = problem === undefined ? await agent.knowledge.records?.() : []
  const known = new Map(knownFiles(records, scope).map((detail) => [detail.name.normalize(), detail]))
  return files.map(({ name, size }) => {
    // Custom knowledge may not say which files it could read.
    if (problem === undefined && !agent.knowledge.records) return { name, size, status: 'ok' }
    const unread: FileDetail = { name, size, status: 'pending', reason: problem ?? 'It changed while it was read.' }
    return { ...(known.get(name) ?? unread), name }
  })
}

function isUnreadable({ status }: FileDetail): boolean {
  return status !== 'ok' && status !== 'low-quality' && status !== 'pending'
}

function unprocessable(details: readonly FileDetail[]): ProblemError {
  const [first] = details
  const detail = details.length === 1 && first ? `"${first.name}" cannot be read: ${first.reason}` : undefined
  return new ProblemError('unprocessable-file', {
    ...(detail !== undefined && { detail }),
    errors: details.map(({ name, reason = 'cannot be read' }) => ({ path: ['files', name], message: reason })),
  })
}
