import { systemCode } from '@agentkit/core/internal'
import { watchClock } from '../../util/watch-clock.ts'
import type { Statements } from '../statements/statements.ts'
import type { SQLiteDatabase } from './sqlite-database.ts'

/** A row of the holders table, joined to a run or an answer; all null if the holder no longer exists. */
export type HolderRow = {
  /** NULL for a run that no store works on. */
  holder: string | null
  host: string | null
  pid: number | null
  thread: number | null
  heartbeat: number | null
}

/** The work of an open store: the attempt of each run, and each reserved answer. */
type Work = Map<string, number>

/** The open stores of this thread, each with its work. Shared by all copies of this package. */
const openStores = sharedMap()

/** How an open store identifies itself to other stores and processes. */
export interface Holder {
  readonly id: string
  /** Records that this store does the work from now on, and sends heartbeats until the work is released. */
  hold(work: string, attempt?: number): void
  /** @param attempt only this one; any when absent */
  release(work: string, attempt?: number): void
  beat(statements: Statements): void
  /**
   * Whether the store of a row is alive and still does the work.
   *
   * A store of this thread is looked up. A store of another process of this host, or of another thread, must exist and
   * send heartbeats; on another host it must send heartbeats. So a killed process counts as dead at once, unless another
   * process has its pid: then, and when a whole host has failed, after `staleAfterMs`.
   */
  isAlive(row: HolderRow, work: string, attempt?: number): boolean
  remove(statements: Statements): void
  /** Work that the store still holds has no owner afterwards. */
  stop(): void
}

export type HolderOptions = { heartbeatMs: number; staleAfterMs: number }

export function openHolder(database: SQLiteDatabase, { heartbeatMs, staleAfterMs }: HolderOptions): Holder {
  const work: Work = new Map()
  const clock = watchClock(staleAfterMs)
  let id: string | undefined
  const ownId = (): string => {
    if (id !== undefined) return id
    id = crypto.randomUUID()
    openStores.set(id, work)
    return id
  }
  let timer: NodeJS.Timeout | undefined

  const beat = (statements: Statements): void => {
    const { host, thread } = here()
    statements.beat.run(ownId(), host, process.pid, thread, Date.now())
  }
  const stopTimer = (): void => {
    clearInterval(timer)
    timer = undefined
  }

  return {
    get id() {
      return ownId()
    },
    hold(name, attempt = 1) {
      work.set(name, attempt)
      // A heartbeat is skipped while the database is locked.
      timer ??= setInterval(() => {
        if (work.size === 0) stopTimer()
        else database.tryNow(beat)
      }, heartbeatMs).unref()
    },
    release(name, attempt) {
      if (attempt === undefined || work.get(name) === attempt) work.delete(name)
    },
    beat,
    isAlive(row, name, attempt = 1) {
      if (row.holder === null) return false
      const known = openStores.get(row.holder)
      if (known) return known.get(name) === attempt
      if (row.host === null || row.pid === null || row.heartbeat === null) return false
      const { host, thread } = here()
      if (row.host === host && row.pid === process.pid && row.thread === thread) return false
      // Asked each time: a clock that was set back and forth since the last time would have the same offset.
      const hasJumped = clock.hasJumped()
      if (Date.now() - row.heartbeat > staleAfterMs && !hasJumped) return false
      return row.host !== host || processExists(row.pid)
    },
    remove: (statements) => void (id !== undefined && statements.removeHolder.run(id)),
    stop() {
      stopTimer()
      if (id !== undefined) openStores.delete(id)
    },
  }
}

let place: { host: string; thread: number } | undefined

/** This host and thread. Node's modules for them are loaded by the first write, which many processes never make. */
function here(): { host: string; thread: number } {
  place ??= {
    host: process.getBuiltinModule('node:os').hostname(),
    thread: process.getBuiltinModule('node:worker_threads').threadId,
  }
  return place
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process exists, but belongs to another user.
    return systemCode(error) === 'EPERM'
  }
}

function sharedMap(): Map<string, Work> {
  const name = Symbol.for('agentkit.sessions.stores')
  // The cast holds: only this function writes this symbol.
  const shared = globalThis as { [name]?: Map<string, Work> }
  shared[name] ??= new Map()
  return shared[name]
}
