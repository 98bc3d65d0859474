import {
  AgentKitError,
  checkSessionKey,
  type JSONValue,
  type Message,
  type SessionStore,
  type Usage,
} from '@agentkit/core'
import { checkOptionNames } from '@agentkit/core/internal'
import { closeHolder, isAlive, openHolder } from './holders.ts'
import {
  addSession,
  findRun,
  findRunning,
  findSession,
  keyValues,
  type RunRow,
  readSession,
  readTurn,
  type SessionRow,
  toISO,
} from './rows.ts'
import { openSQLiteDatabase } from './sqlite-database.ts'
import type { Statements } from './statements.ts'

export type SQLiteSessionsOptions = {
  /**
   * What an acknowledged turn survives: `normal` the death of the process, `full` that of the machine too, at several
   * times the cost of each write. `normal` when absent.
   */
  durability?: 'normal' | 'full'
  /** How long a call waits for a lock of another process, in milliseconds; default 5,000. */
  lockTimeoutMs?: number
  /** Interval of a store's heartbeats during runs, in milliseconds; default 2,000. */
  heartbeatMs?: number
  /** How long after its last heartbeat a store counts as dead, in milliseconds; default 10,000. */
  staleAfterMs?: number
}

const optionNames: Record<keyof SQLiteSessionsOptions, true> = {
  durability: true,
  lockTimeoutMs: true,
  heartbeatMs: true,
  staleAfterMs: true,
}

/**
 * Sessions in a SQLite file, which several processes of one machine may share. The file is opened at the first call; a
 * missing folder is created, and only the owner can read the file. All stores of a file share one connection until the
 * last of them is closed.
 *
 * A run whose process has died is settled as failed by the next `load` or `begin` of its session; later writes of that
 * run are refused.
 *
 * @param path of the file; `:memory:` for a database that ends with the store
 * @throws AgentKitError `invalid-argument` for a path that is not a string, and for an unknown option
 * @throws AgentKitError `storage` from every call when the file cannot be opened, read or written, with the fix;
 *   retryable when another process holds the file longer than `lockTimeoutMs`
 * @example
 * const sessions = sqliteSessions('agentkit-data/sessions.db')
 * const agent = new Agent({ name: 'Notes', functions: [], model, sessions })
 */
export function sqliteSessions(path: string, options: SQLiteSessionsOptions = {}): SessionStore {
  if (typeof path !== 'string' || path === '') {
    throw new AgentKitError('invalid-argument', 'sqliteSessions takes the path of a file, or ":memory:".')
  }
  checkOptionNames(options, optionNames, { code: 'invalid-argument' })
  const { durability = 'normal', lockTimeoutMs = 5_000, heartbeatMs = 2_000, staleAfterMs = 10_000 } = options
  const database = openSQLiteDatabase(path, { durability, lockTimeoutMs })
  const { holder, activeRuns } = openHolder()
  let heart: NodeJS.Timeout | undefined

  const beat = (statements: Statements): void => {
    statements.beat.run(holder.id, holder.host, holder.pid, holder.thread, Date.now())
  }
  /** Sends heartbeats during runs. It skips one while the database is locked. */
  const startHeart = (): void => {
    heart ??= setInterval(() => {
      if (activeRuns.size === 0) stopHeart()
      else database.tryNow(beat)
    }, heartbeatMs).unref()
  }
  const stopHeart = (): void => {
    clearInterval(heart)
    heart = undefined
  }

  /** Settles a session's run as failed if its store is dead. Returns whether it did. */
  const settleDeadRun = (statements: Statements, session: SessionRow, now: number): boolean => {
    const running = findRunning(statements, session)
    if (!running || isAlive(running, now, staleAfterMs)) return false
    statements.endRun.run('failed', null, running.run_id)
    statements.moveSession.run(now, session.id)
    statements.removeIdleHolder.run(running.holder)
    return true
  }
  /** Assigns a suspended run of the session to this store. Returns whether there was one. */
  const reopen = (statements: Statements, runId: string, session: SessionRow): boolean =>
    statements.reopenRun.run(holder.id, runId, session.id).changes > 0
  const isHeldByDead = (statements: Statements, session: SessionRow): boolean => {
    const running = findRunning(statements, session)
    return running !== undefined && !isAlive(running, Date.now(), staleAfterMs)
  }

  const removeHolder = (statements: Statements): void => void statements.removeHolder.run(holder.id)
  const stop = (): void => {
    stopHeart()
    // Its remaining runs have no owner any more: the next `load` or `begin` settles them.
    closeHolder(holder)
  }
  const store: SessionStore = {
    async load(key) {
      checkSessionKey(key)
      // The version first: if another process writes in between, `begin` refuses it.
      const session = await database.read((statements) => {
        const row = findSession(statements, key)
        if (!row) return undefined
        return isHeldByDead(statements, row) ? 'held by the dead' : readSession(statements, row)
      })
      if (session !== 'held by the dead') return session
      return database.transaction((statements) => {
        const row = findSession(statements, key)
        if (!row) return undefined
        const settled = settleDeadRun(statements, row, Date.now())
        return readSession(statements, settled ? { ...row, version: row.version + 1 } : row)
      })
    },

    async begin(key, { runId, expectedVersion, input }) {
      checkSessionKey(key)
      const bodies = input.map(toJSON)
      const tryToBegin = (statements: Statements): AgentKitError | undefined => {
        const now = Date.now()
        const known = findSession(statements, key)
        // The refusal is returned, because throwing it would roll back the settlement.
        const settled = known !== undefined && settleDeadRun(statements, known, now)
        const version = (known?.version ?? 0) + (settled ? 1 : 0)
        if (version !== expectedVersion) return conflict('The session has moved on. Load it again.', true)
        if (known && findRunning(statements, known)) return conflict('Another run holds the session.', true)
        const isUsed = statements.run.get(runId) !== undefined
        if (isUsed && !(known && bodies.length === 0 && reopen(statements, runId, known))) {
          return conflict(`There is a run ${runId} already.`)
        }

        const sessionId = known?.id ?? addSession(statements, key, now)
        statements.moveSession.run(now, sessionId)
        if (!isUsed) statements.addRun.run(runId, sessionId, holder.id, now)
        for (const body of bodies) statements.addMessage.run(body, runId)
        beat(statements)
        return undefined
      }
      const refusal = await database.transaction(tryToBegin, (refused) => {
        if (refused) return
        activeRuns.add(runId)
        startHeart()
      })
      if (refusal) throw refusal
    },

    async append(runId, messages, state) {
      const bodies = messages.map(toJSON)
      const stateText = state === undefined ? undefined : toJSON(state)
      await database.transaction((statements) => {
        requireRunning(statements, runId)
        for (const body of bodies) statements.addMessage.run(body, runId)
        if (stateText === undefined) return
        statements.setRunState.run(stateText, runId)
        statements.setSessionState.run(stateText, runId)
      })
    },

    async end(runId, status, usage) {
      try {
        await database.transaction((statements) => {
          const { changes } = statements.endRun.run(status, usage === undefined ? null : toJSON(usage), runId)
          if (changes === 0) throw notRunning(runId)
          statements.moveSessionOfRun.run(Date.now(), runId)
        })
      } finally {
        // Also if it could not be stored: without an owner, the next run settles it.
        activeRuns.delete(runId)
      }
    },

    find: (runId) =>
      database.read((statements) => {
        const row = findRun(statements, runId)
        return row && readTurn(statements, row)
      }),

    async turns(key, { after, limit = Number.POSITIVE_INFINITY } = {}) {
      checkSessionKey(key)
      return database.read((statements) => {
        const keys = keyValues(key)
        const last = after === undefined ? { number: 0 } : statements.numberInSession.get(after, ...keys)
        if (!last) return []
        const rows = statements.turns.all(...keys, last.number as number, Math.min(limit, Number.MAX_SAFE_INTEGER))
        return (rows as RunRow[]).map((row) => readTurn(statements, row))
      })
    },

    async list({ agentId, userId }) {
      checkSessionKey({ userId })
      return database.read((statements) =>
        statements.listSessions.all(agentId, userId).map((row) => ({
          sessionId: row.session_id as string,
          createdAt: toISO(row.created_at as number),
          updatedAt: toISO(row.updated_at as number),
          turns: row.turns as number,
          title: '',
        })),
      )
    },

    async rename() {
      throw new AgentKitError('unsupported', 'Titles are not stored yet.')
    },

    async delete(key) {
      checkSessionKey(key)
      await database.transaction((statements) => void statements.deleteSession.run(...keyValues(key)))
    },

    async close() {
      await database.close(removeHolder)
      stop()
    },
  }
  abandoned.register(store, () => database.release(removeHolder).then(stop))
  return store
}

/** Releases the file of a store that was garbage-collected without being closed. */
const abandoned = new FinalizationRegistry((release: () => Promise<void>) => void release().catch(() => {}))

function requireRunning(statements: Statements, runId: string): void {
  if (findRun(statements, runId)?.status !== 'running') throw notRunning(runId)
}

function notRunning(runId: string): AgentKitError {
  return conflict(`The run ${runId} does not hold its session (any more).`)
}

function conflict(message: string, retryable = false): AgentKitError {
  return new AgentKitError('session-conflict', message, { retryable })
}

function toJSON(value: Message | JSONValue | Usage): string {
  return JSON.stringify(value)
}
