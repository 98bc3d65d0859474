import { hash, randomUUID } from 'node:crypto'
import { readdir, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { systemCode } from '@agentkit/core/internal'
import { statOf } from './disk.ts'

/** Begins with a dot, so that the file is neither searched nor watched. */
const prefix = '.agentkit-upload-'
const host = hash('sha256', hostname()).slice(0, 8)
const pattern = new RegExp(`^\\${prefix}([0-9a-f]{8})-(\\d+)-[0-9a-f-]{36}$`)
/** A file of another machine counts as left over after this time without a change, in milliseconds. */
const leftOverMs = 60 * 60 * 1000

/** The temporary files of this process. */
const own = new Set<string>()

/** A new path for a file that is not complete. The caller creates it, and calls `forget` when it is renamed or removed. */
export function temporaryPath(folder: string): string {
  const name = `${prefix}${host}-${process.pid}-${randomUUID()}`
  own.add(name)
  return join(folder, name)
}

export function forget(path: string): void {
  own.delete(path.slice(path.lastIndexOf(prefix)))
}

/** Removes a temporary file, if it is there. */
export async function removeTemporary(path: string): Promise<void> {
  await unlink(path).catch(() => {})
  forget(path)
}

/** Removes the temporary files of processes that were killed. */
export async function removeLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const path = join(folder, name)
    if (await isLeftOver(name, path)) await unlink(path).catch(() => {})
  }
}

async function isLeftOver(name: string, path: string): Promise<boolean> {
  const [, machine, pid] = pattern.exec(name) ?? []
  if (machine === undefined || own.has(name)) return false
  if (machine === host) return Number(pid) === process.pid || !isAlive(Number(pid))
  const stats = await statOf(path)
  // `ctimeMs`, not `mtimeMs`: a file that an upload replaces is linked here, and its content may be old.
  return stats !== undefined && Date.now() - stats.ctimeMs > leftOverMs
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process exists, and belongs to another user.
    return systemCode(error) === 'EPERM'
  }
}
