import { AgentKitError, checkSessionKey, type SessionStore } from '@agentkit/core'
import {
  checkLimit,
  checkOptions,
  isMilliseconds,
  isOneOf,
  type OptionRules,
  sessionFrom,
} from '@agentkit/core/internal'
import { jsonOrNull, toJSON } from '../util/json.ts'
import { memoryOwnerOf } from '../util/memory-owner.ts'
import { storeTime } from '../util/store-time.ts'
import { watchersOf } from '../util/watchers.ts'
import { openSQLiteDatabase } from './database/sqlite-database.ts'
import { openStore } from './database/store-access.ts'
import { beginRun, isAbandoned, settleLostRun } from './runs/begin-run.ts'
import { findActive, findSession, keyValues, readTurn, type SessionRow, type TurnRow, toSession } from './runs/rows.ts'
import { prepareEntry, requireHeld, writeEntry } from './runs/write-entry.ts'
import { listSessions } from './sessions/list-sessions.ts'
import { forgetMessages, visibleOf } from './sessions/session-messages.ts'
import { sqliteMemory } from './sessions/sqlite-memory.ts'
import { sqliteRunStore } from './sqlite-run-store.ts'
import type { Statements } from './statements/statements.ts'

/** How a file of sessions is opened. */
export type SQLiteSessionsOptions = {
  /**
   * `normal`, the default: an acknowledged turn survives a crash of the process. `full`: it also survives a crash of
   * the machine, and each write costs several times as much.
   */
  durability?: 'normal' | 'full'
  /** How long a call waits for a lock of another process, in milliseconds; default 5,000. */
  lockTimeoutMs?: number
  /** Interval of a store's heartbeats during runs, in milliseconds; default 2,000. */
  heartbeatMs?: number
  /**
   * How long after its last heartbeat a store counts as dead, in milliseconds; default 10,000. A run confirms that it is held
   * where its last write began more than 4,000 ms ago: with less, a process that was frozen may call a model once more.
   */
  staleAfterMs?: number
}

const optionRules: OptionRules<SQLiteSessionsOptions> = {
  durability: isOneOf(['normal', 'full']),
  lockTimeoutMs: isMilliseconds,
  heartbeatMs: isMilliseconds,
  staleAfterMs: isMilliseconds,
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
 * @throws AgentKitError `invalid-argument` for a path that is not a string, an unknown option and a wrong value
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
  checkOptions(options, optionRules)
  const { durability = 'normal', lockTimeoutMs = 5_000, heartbeatMs = 2_000, staleAfterMs = 10_000 } = options
  const database = openSQLiteDatabase(path, { durability, lockTimeoutMs })
  const access = openStore(database, watchersOf(path), { heartbeatMs, staleAfterMs })
  const { holder, read, write } = access

  const hasAbandonedRun = (statements: Statements, session: SessionRow): boolean => {
    const active = findActive(statements, session.id)
    return active !== undefined && isAbandoned(active, holder)
  }
  const store: SessionStore = {
    // A database in memory ends with its process, so no worker could begin its runs.
    runs: sqliteRunStore(access, { isShared: path !== ':memory:' }),
    memory: sqliteMemory(access),

    async load(key, options) {
      checkSessionKey(key)
      // The version first: if another process writes in between, `begin` refuses it.
      const session = await read((statements) => {
        const row = findSession(statements, key)
        if (!row) return undefined
        return hasAbandonedRun(statements, row) ? 'abandoned' : toSession(row, visibleOf(statements, row.id))
      })
      if (session !== 'abandoned') return session && sessionFrom(session, options)
      await write((statements, touch) => {
        const row = findSession(statements, key)
        if (row) settleLostRun({ statements, touch, holder, now: storeTime() }, row.id)
      })
      // Read after the commit, because changes that a transaction has read may be rolled back.
      return read((statements) => {
        const row = findSession(statements, key)
        return row && sessionFrom(toSession(row, visibleOf(statements, row.id)), options)
      })
    },

    async begin(key, { runId, expectedVersion, input, replaces }) {
      checkSessionKey(key)
      const bodies = input.map(toJSON)
      const none = { deadline: null, agentVersion: null, options: null, progress: null, notifies: 0 }
      const columns = { ...none, agentId: key.agentId, isResumable: 0, keepsEvents: 0 }
      const mayBeginAgain = input.length === 0
      const run = { key, runId, expectedVersion, input, bodies, replaces, mayBeginAgain, columns }
      const outcome = await write((statements, touch, hold) => {
        const attempt = beginRun({ statements, touch, holder, now: storeTime() }, run)
        if (typeof attempt === 'number') hold(runId, attempt)
        return attempt
      })
      if (typeof outcome !== 'number') throw outcome
    },

    async append(runId, messages, state) {
      const entry = prepareEntry({ messages, state })
      await write((statements, touch) => {
        writeEntry(statements, touch, requireHeld(statements, runId), entry)
        touch(runId)
      })
    },

    async end(runId, status, usage) {
      const usageText = jsonOrNull(usage)
      try {
        await write((statements, touch) => {
          const run = requireHeld(statements, runId)
          const now = storeTime()
          const [endedAt, waitingSince] = status === 'waiting' ? [null, now] : [now, null]
          statements.endTurn.run({ status, usage: usageText, endedAt, waitingSince, number: run.number })
          statements.moveSession.run(now, run.session)
          touch(runId)
        })
      } finally {
        // The run is released even if its end could not be stored: the next run settles a run without an owner.
        holder.release(runId)
      }
    },

    find: (runId) =>
      read((statements) => {
        const row = statements.turn.get(runId) as TurnRow | undefined
        return row && readTurn(statements, row)
      }),

    async turns(key, { after, limit = Number.POSITIVE_INFINITY } = {}) {
      checkSessionKey(key)
      checkLimit(limit)
      return read((statements) => {
        const keys = keyValues(key)
        const last = after === undefined ? { number: 0 } : statements.numberInSession.get(after, ...keys)
        if (!last) return []
        const rows = statements.turns.all(...keys, last.number as number, Math.min(limit, Number.MAX_SAFE_INTEGER))
        return (rows as TurnRow[]).map((row) => readTurn(statements, row))
      })
    },

    async list(owner, options) {
      checkSessionKey({ userId: owner.userId })
      checkLimit(options?.limit)
      return listSessions(access, owner, options)
    },

    async rename(key, title) {
      checkSessionKey(key)
      const { changes } = await write((statements) => statements.setTitle.run(title, ...keyValues(key)))
      if (changes === 0) throw new AgentKitError('not-found', `There is no session "${key.sessionId}".`)
    },

    async delete(key) {
      checkSessionKey(key)
      await write((statements) => {
        const row = findSession(statements, key)
        if (row) forgetMessages(statements, row.id)
        statements.deleteSession.run(...keyValues(key))
        statements.dropForgotten.run(memoryOwnerOf(key))
      })
    },

    async close() {
      await database.close(holder.remove)
      holder.stop()
    },
  }
  abandoned.register(store, () => database.release(holder.remove).then(() => holder.stop()))
  return store
}

/** Releases the file of a store that was garbage-collected without being closed. */
const abandoned = new FinalizationRegistry((release: () => Promise<void>) => void release().catch(() => {}))
