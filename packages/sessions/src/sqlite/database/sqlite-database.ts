import { resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentKitError } from '@agentkit/core'
import { isSQLiteLocked } from '@agentkit/core/internal'
import { storeIsClosed } from '../../util/store-is-closed.ts'
import type { Statements } from '../statements/statements.ts'
import { longLogCleaner } from './long-log.ts'
import { acquireFile, fileAt, releaseFile, type SharedFile } from './shared-file.ts'
import { toStorageError } from './sqlite-errors.ts'

export type SQLiteDatabaseOptions = {
  durability: 'normal' | 'full'
  /** How long a call waits for a lock, in milliseconds. */
  lockTimeoutMs: number
  /** The size above which the write-ahead log is emptied also while other processes write; default 64 MiB. */
  maxLogBytes?: number
}

/** A store's access to a database file, which is opened at the first use and shared with other stores. */
export interface SQLiteDatabase {
  /** Runs statements that only read, which do not wait for writers. */
  read<T>(work: (statements: Statements) => T): Promise<T>
  /**
   * Runs `work` in a transaction that holds the write lock; it may run again when the database was locked. Calls of one turn
   * of the event loop are committed together, each undone alone if it throws.
   * `committed` follows the commit before anything else can happen in this thread.
   */
  transaction<T>(work: (statements: Statements) => T, committed?: (result: T) => void): Promise<T>
  /** Runs `work` once, immediately, and only if the database is open. Failures are ignored. */
  tryNow(work: (statements: Statements) => void): void
  /** Waits for earlier calls, then runs `cleanup` and releases the file. A later call opens it again. */
  release(cleanup: (statements: Statements) => void): Promise<void>
  /** The same, and refuses later calls. */
  close(cleanup: (statements: Statements) => void): Promise<void>
}

/** Up to this number of calls in one turn of the event loop, each call is committed at once. */
const commitsAtOnce = 4

/**
 * After this number of commits, the journal is written into the database as soon as no call has come for `idleMs`. This
 * blocks the process for 10 to 30 ms.
 */
const commitsPerCheckpoint = 200
const idleMs = 200

/** A call of `transaction` that waits for its commit. */
type Waiting = {
  work(statements: Statements): unknown
  committed: ((result: unknown) => void) | undefined
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** The last queued call per file and timeout: of all stores, one call at a time tries to get the lock. */
const queues = new Map<unknown, Promise<void>>()

export function openSQLiteDatabase(path: string, options: SQLiteDatabaseOptions): SQLiteDatabase {
  let opened: SharedFile | undefined
  let closed = false
  const key = path === ':memory:' ? Symbol(path) : `${options.lockTimeoutMs} ${resolve(path)}`
  let lastCall: Promise<void> = Promise.resolve()
  let waiting: Waiting[] = []
  /**
   * The number of commits in this turn of the event loop. Calls after the first few are committed together at its end.
   */
  let commits = 0
  let sinceCheckpoint = 0
  let idle: NodeJS.Timeout | undefined

  const open = (): SharedFile => {
    opened ??= acquireFile(path, options.durability)
    return opened
  }

  /** Writes to a file that was deleted or moved would be lost: the file now at the path is opened instead. */
  const openWhatIsThere = (): SharedFile => {
    if (opened && opened.file !== fileAt(path)) releaseOpened()
    return open()
  }

  const releaseOpened = (): void => {
    const released = opened
    opened = undefined
    if (released) releaseFile(released)
  }

  const release = async (cleanup: (statements: Statements) => void): Promise<void> => {
    commitWaiting()
    await lastCall
    clearTimeout(idle)
    idle = undefined
    tryNow(cleanup)
    releaseOpened()
  }

  const untilUnlocked = async <T>(work: () => T, deadline: number): Promise<T> => {
    for (;;) {
      try {
        return work()
      } catch (error) {
        if (!isSQLiteLocked(error) || performance.now() >= deadline) throw toStorageError(error, path)
      }
      await sleep(5 + Math.random() * 25)
    }
  }

  /**
   * Only one call at a time tries to get the lock, so that many waiting calls block the process no longer than one
   * call.
   */
  const enqueue = async <T>(work: () => T, waitMs = options.lockTimeoutMs): Promise<T> => {
    refuseWhenClosed()
    const deadline = performance.now() + waitMs
    const result = (queues.get(key) ?? Promise.resolve()).then(() => untilUnlocked(work, deadline))
    const done: Promise<void> = result.then(leave, leave)
    function leave(): void {
      if (queues.get(key) === done) queues.delete(key)
    }
    queues.set(key, done)
    lastCall = done
    return result
  }

  const commitWaiting = (): void => {
    if (waiting.length === 0) return
    const calls = waiting
    waiting = []
    enqueue(() => commitAll(openWhatIsThere(), calls, path)).then(checkpointWhenIdle, (error) => {
      for (const { reject } of calls) reject(error)
    })
  }

  const emptyLongLog = longLogCleaner({
    ...{ path, maxLogBytes: options.maxLogBytes, enqueue },
    opened: () => opened,
  })

  const checkpointWhenIdle = (): void => {
    sinceCheckpoint++
    if (sinceCheckpoint < commitsPerCheckpoint || closed) return
    if (sinceCheckpoint % commitsPerCheckpoint === 0) void emptyLongLog()
    if (idle) return void idle.refresh()
    idle = setTimeout(() => {
      idle = undefined
      sinceCheckpoint = 0
      tryNow((statements) => statements.checkpoint.get())
    }, idleMs).unref()
  }

  const refuseWhenClosed = (): void => {
    if (!closed) return
    throw storeIsClosed('sqliteSessions(path)')
  }

  const tryNow = (work: (statements: Statements) => void): void => {
    if (!opened) return
    try {
      work(opened.statements)
    } catch {
      // Ignored: a heartbeat or a cleanup is optional.
    }
  }

  return {
    async read(work) {
      const readNow = (): ReturnType<typeof work> => work(open().statements)
      if (!opened) return enqueue(readNow)
      const readWhileOpen = (): ReturnType<typeof work> => {
        refuseWhenClosed()
        return readNow()
      }
      return untilUnlocked(readWhileOpen, performance.now() + options.lockTimeoutMs)
    },

    async transaction(work, committed) {
      refuseWhenClosed()
      return new Promise((resolve, reject) => {
        // The cast holds: the result of a call goes to its own callbacks only.
        waiting.push({ work, committed, resolve, reject } as Waiting)
        if (commits === 0) {
          setImmediate(() => {
            commits = 0
            commitWaiting()
          })
        }
        commits++
        if (commits <= commitsAtOnce) commitWaiting()
      })
    },

    tryNow,
    release,

    close(cleanup) {
      commitWaiting()
      closed = true
      return release(cleanup)
    },
  }
}

/** Commits calls together, then settles them. When the commit fails, none is settled. */
function commitAll({ database, statements }: SharedFile, calls: readonly Waiting[], path: string): void {
  const settled: (() => void)[] = []
  const run = (call: Waiting): void => {
    const result = call.work(statements)
    settled.push(() => {
      try {
        call.committed?.(result)
        call.resolve(result)
      } catch (error) {
        call.reject(error)
      }
    })
  }
  database.exec('BEGIN IMMEDIATE')
  try {
    if (calls.length === 1) calls.forEach(run)
    else {
      for (const call of calls) {
        const failure = runAlone(database, path, () => run(call))
        if (failure !== undefined) settled.push(() => call.reject(failure))
      }
    }
    database.exec('COMMIT')
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK')
  }
  for (const settle of settled) settle()
}

/** Undoes a call that throws, and no other. @returns its error */
function runAlone(database: DatabaseSync, path: string, call: () => void): AgentKitError | undefined {
  let failure: AgentKitError | undefined
  database.exec('SAVEPOINT call')
  try {
    call()
  } catch (error) {
    // An error of all calls: the lock is tried again, or the disk is full.
    if (isSQLiteLocked(error) || !database.isTransaction) throw error
    database.exec('ROLLBACK TO call')
    failure = toStorageError(error, path)
  }
  database.exec('RELEASE call')
  return failure
}
