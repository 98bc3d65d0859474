import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { threadId } from 'node:worker_threads'

/** A row of the holders table, joined to a run; all null if the holder no longer exists. */
export type HolderRow = {
  run_id: string
  holder: string
  host: string | null
  pid: number | null
  thread: number | null
  heartbeat: number | null
}

/** The open stores of this thread, each with its active runs. Shared by all copies of this package. */
const openHolders = sharedMap()

/** How an open store identifies itself. */
export type Holder = { readonly id: string; readonly host: string; readonly pid: number; readonly thread: number }

export const host: string = hostname()

export function openHolder(): { holder: Holder; activeRuns: Set<string> } {
  const holder = { id: randomUUID(), host, pid: process.pid, thread: threadId }
  const activeRuns = new Set<string>()
  openHolders.set(holder.id, activeRuns)
  return { holder, activeRuns }
}

export function closeHolder(holder: Holder): void {
  openHolders.delete(holder.id)
}

/**
 * Whether the store that runs a run is still alive.
 *
 * A store of this thread is looked up. A store of another process of this host, or of another thread, must exist and
 * send heartbeats; on another host it must send heartbeats. So a killed process counts as dead at once, unless another
 * process has its pid: then, and when a whole host has failed, after `staleAfterMs`.
 */
export function isAlive(row: HolderRow, now: number, staleAfterMs: number): boolean {
  const activeRuns = openHolders.get(row.holder)
  if (activeRuns) return activeRuns.has(row.run_id)
  if (row.host === null || row.pid === null || row.heartbeat === null) return false
  if (row.host === host && row.pid === process.pid && row.thread === threadId) return false
  if (now - row.heartbeat > staleAfterMs) return false
  return row.host !== host || processExists(row.pid)
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It exists, but belongs to another user.
    return (error as { code?: string }).code === 'EPERM'
  }
}

function sharedMap(): Map<string, Set<string>> {
  const name = Symbol.for('agentkit.sessions.holders')
  // Only this function writes this symbol.
  const shared = globalThis as { [name]?: Map<string, Set<string>> }
  shared[name] ??= new Map()
  return shared[name]
}
