import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileInfo, FileStatus } from '@agentkit/core'
import { systemCode } from '@agentkit/core/internal'
import type { AgentFiles, Scope } from './agent-files.ts'
import { diskProblem, sizeOf } from './disk.ts'
import { extensionOf, isHidden } from './file-name.ts'

/** A file as routes show it. */
export type FileDetail = { name: string; size: number; status: FileStatus; reason?: string }

/** The files of a scope, sorted: the files that the knowledge has, and files that it has not read yet. */
export async function listFiles({ knowledge }: AgentFiles, scope: Scope): Promise<FileDetail[]> {
  const known = await knownFiles(await knowledge.records?.(), scope)
  const details = new Map(known.map((file) => [file.name, file]))
  for (const name of await namesIn(scope.folder)) {
    if (details.has(name)) continue
    const size = await sizeOf(join(scope.folder, name))
    if (size !== undefined) details.set(name, unknownFile(name, size, knowledge.exts))
  }
  return [...details.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** The files that the last sync has found, without the name of a user's folder. */
export function knownFiles(records: readonly FileInfo[] | undefined, { prefix }: Scope): FileDetail[] {
  return (records ?? []).flatMap(({ file, size, status, reason }) => {
    if (!file.startsWith(prefix)) return []
    return [{ name: file.slice(prefix.length), size, status, ...(status !== 'ok' && reason && { reason }) }]
  })
}

async function namesIn(folder: string): Promise<string[]> {
  const entries = await entriesOf(folder)
  return entries.flatMap((entry) => (entry.isFile() && !isHidden(entry.name) ? [entry.name] : []))
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return []
    throw diskProblem(error)
  }
}

function unknownFile(name: string, size: number, exts: readonly string[] | undefined): FileDetail {
  if (!exts || exts.includes(extensionOf(name))) {
    return { name, size, status: 'pending', reason: 'It is not indexed yet.' }
  }
  return { name, size, status: 'unsupported', reason: `The agent reads ${exts.join(', ')}.` }
}

/** The files at a path and below it; none if the path does not exist. Hidden files and links are left out. */
export async function filesBelow(path: string): Promise<string[]> {
  if ((await sizeOf(path)) !== undefined) return [path]
  const entries = await entriesOf(path)
  const found: string[] = []
  for (const entry of entries) {
    if (isHidden(entry.name)) continue
    if (entry.isDirectory()) for (const file of await filesBelow(join(path, entry.name))) found.push(file)
    else if (entry.isFile()) found.push(join(path, entry.name))
  }
  return found
}
