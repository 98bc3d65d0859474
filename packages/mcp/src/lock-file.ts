import { areHashes, type LockFile, lockFile } from '@agentkit/core/internal'
import type { Era } from './connection.ts'

/** The entry of one server in the lock file: its handshake, and the hashes of its tools by their names. */
export type LockedServer = { era?: Era; tools: Record<string, string> }

/** @throws AgentKitError `invalid-config` for a file that is not a lock file */
export function readLocked(path: string, server: string): LockedServer {
  return serversIn(path).read(server) ?? { tools: {} }
}

/** Changes the entry of one server. */
export function writeLocked(path: string, server: string, change: (locked: LockedServer) => LockedServer): void {
  serversIn(path).change(server, (locked) => change(locked ?? { tools: {} }))
}

/**
 * Removes pins, so that the next run outside of production pins the tools as they are then.
 * @returns the names of the tools; `undefined` if the file does not have the server
 */
export function forgetPins(path: string, server: string, tool: string | undefined): string[] | undefined {
  const locked = serversIn(path).read(server)
  if (!locked) return undefined
  const forgotten = Object.keys(locked.tools).filter((name) => tool === undefined || name === tool)
  const kept = Object.entries(locked.tools).filter(([name]) => !forgotten.includes(name))
  writeLocked(path, server, (current) => ({ ...current, tools: Object.fromEntries(kept) }))
  return forgotten
}

function serversIn(path: string): LockFile<LockedServer> {
  return lockFile(path, { of: 'MCP tools', section: 'servers', isEntry: isLocked })
}

function isLocked(value: unknown): value is LockedServer {
  const { era, tools } = Object(value) as Record<string, unknown>
  return (era === undefined || era === 'modern' || era === 'legacy') && areHashes(tools)
}
