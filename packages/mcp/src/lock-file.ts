import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { invalidConfig } from '@agentkit/core/internal'
import type { Era } from './connection.ts'
import { limits } from './limits.ts'

/** What the lock file keeps of one server: the handshake it speaks, and the hashes of its tools by their names. */
export type LockedServer = { era?: Era; tools: Record<string, string> }

/** @throws AgentKitError `invalid-config` for a file that is no lock file */
export function readLocked(path: string, server: string): LockedServer {
  return readAll(path).get(server) ?? { tools: {} }
}

/** Changes what is kept of one server, in one step: a reader never sees half a file. */
export function writeLocked(path: string, server: string, change: (locked: LockedServer) => LockedServer): void {
  const servers = readAll(path)
  servers.set(server, change(servers.get(server) ?? { tools: {} }))
  const sorted = [...servers].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const entries = sorted.map(([name, { era, tools }]) => {
    const byName = Object.entries(tools).toSorted(([a], [b]) => (a < b ? -1 : 1))
    return [name, { ...(era && { era }), tools: Object.fromEntries(byName) }]
  })
  const text = `${JSON.stringify({ version: 1, servers: Object.fromEntries(entries) }, undefined, 2)}\n`
  const temporary = `${path}.${process.pid}.tmp`
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(temporary, text)
  renameSync(temporary, path)
}

/**
 * Removes pins, so that the next run outside of production pins the tools as they are then.
 * @returns the names of the tools; `undefined` if the file does not have the server
 */
export function forgetPins(path: string, server: string, tool: string | undefined): string[] | undefined {
  const locked = readAll(path).get(server)
  if (!locked) return undefined
  const forgotten = Object.keys(locked.tools).filter((name) => tool === undefined || name === tool)
  const kept = Object.entries(locked.tools).filter(([name]) => !forgotten.includes(name))
  writeLocked(path, server, (current) => ({ ...current, tools: Object.fromEntries(kept) }))
  return forgotten
}

function readAll(path: string): Map<string, LockedServer> {
  const file = parse(path)
  if (file === undefined) return new Map()
  const { version, servers } = file
  const entries = Object.entries(Object(servers) as Record<string, unknown>)
  if (version !== 1 || !entries.every(([, entry]) => isLocked(entry))) throw noLockFile(path)
  return new Map(entries as [string, LockedServer][]) // checked above
}

function parse(path: string): Record<string, unknown> | undefined {
  try {
    if (statSync(path).size > limits.lockFileBytes) throw noLockFile(path)
    return Object(JSON.parse(readFileSync(path, 'utf8')))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw noLockFile(path, cause)
  }
}

function isLocked(value: unknown): value is LockedServer {
  const { era, tools } = Object(value) as Record<string, unknown>
  const isEra = era === undefined || era === 'modern' || era === 'legacy'
  if (!isEra || typeof tools !== 'object' || tools === null) return false
  return Object.values(tools).every((hash) => typeof hash === 'string')
}

function noLockFile(path: string, cause?: unknown): Error {
  return invalidConfig(`${path} is not a lock file of MCP tools. Restore it from version control, or delete it.`, {
    cause,
  })
}
