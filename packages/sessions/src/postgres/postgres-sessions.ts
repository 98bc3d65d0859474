import { AgentKitError, checkSessionKey, type RunQueue, type SessionStore } from '@agentkit/core'
import { checkOptionNames } from '@agentkit/core/internal'
import { jsonOrNull, toJSON } from '../util/json.ts'
import { watchersOf } from '../util/watchers.ts'
import { type Access, openAccess } from './access.ts'
import { openAnnouncements } from './announcements.ts'
import { beginRun, settleLostRun } from './begin-run.ts'
import { openDatabase } from './database.ts'
import { openHolder } from './holder.ts'
import { listSessions } from './list-sessions.ts'
import { migrate } from './migrate.ts'
import {
  findSession,
  headOf,
  isActive,
  keyOf,
  lockSession,
  type RunHead,
  readSession,
  type TurnRow,
  toTurn,
  turnColumns,
} from './rows.ts'
import { postgresRunStore } from './run-store.ts'
import { storeEntry } from './store-entry.ts'
import { hashOf, toStored } from './text-form.ts'
import { prepareEntry } from './write-entry.ts'

export type PostgresSessionsOptions = {
  /** Holds the jobs of background runs. Without it there are none. The store closes it. */
  queue?: RunQueue
  /** The schema of its tables, which is created; `agentkit` when absent. */
  schema?: string
  /** The most connections, beside one that listens; default 10. */
  poolSize?: number
  /** How long a call tries again while the database restarts or fails over, in milliseconds; default 30,000. */
  retryMs?: number
  /** Interval of a store's heartbeats during runs, in milliseconds; default 2,000. */
  heartbeatMs?: number
  /** How long after its last heartbeat a store counts as dead, in milliseconds; default 9,000. */
  staleAfterMs?: number
}

const optionNames: Record<keyof PostgresSessionsOptions, true> = {
  queue: true,
  schema: true,
  poolSize: true,
  retryMs: true,
  heartbeatMs: true,
  staleAfterMs: true,
}

/**
 * Sessions in Postgres 13 or newer, which the processes of many machines share. It connects at the first call, and creates
 * or migrates its schema then. All times are those of the database.
 *
 * A run whose process has died is settled as failed by the next `load` or `begin` of its session; later writes of that
 * run are refused. While the database is away, calls wait and are tried again.
 *
 * @param url `postgres://user:password@host:5432/database`
 * @throws AgentKitError `invalid-argument` for what is no such URL, and for an unknown option
 * @throws AgentKitError from every call: `missing-package` without `pg`; `invalid-config` when the database cannot be
 *   used, with the SQL to run; `storage` when it cannot be reached
 * @example
 * const sessions = postgresSessions('postgres://agentkit:secret@db.example.com/agentkit')
 * const agent = new Agent({ name: 'Notes', functions: [], model, sessions })
 */
export function postgresSessions(url: string, options: PostgresSessionsOptions = {}): SessionStore {
  if (typeof url !== 'string' || !/^postgres(?:ql)?:\/\/./.test(url)) {
    throw new AgentKitError(
      'invalid-argument',
      'postgresSessions takes a URL: postgres://user:password@host:5432/database',
    )
  }
  checkOptionNames(options, optionNames, { code: 'invalid-argument' })
  const { schema = 'agentkit', poolSize = 10, retryMs = 30_000, heartbeatMs = 2_000, staleAfterMs = 9_000 } = options
  checkOptions({ schema, poolSize, retryMs, heartbeatMs, staleAfterMs })
  const access = openStore(url, { schema, poolSize, retryMs, heartbeatMs, staleAfterMs })
  return storeOf(access, options.queue)
}

function checkOptions({ schema, ...numbers }: { schema: string; [name: string]: string | number }): void {
  if (typeof schema !== 'string' || !/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    const rule = 'a name of lower-case letters, digits and underscores, at most 63'
    throw new AgentKitError('invalid-argument', `\`schema\` is ${JSON.stringify(schema)}; it must be ${rule}.`)
  }
  for (const [name, value] of Object.entries(numbers)) {
    if (Number.isInteger(value) && Number(value) > 0 && Number(value) <= 86_400_000) continue
    throw new AgentKitError('invalid-argument', `\`${name}\` is ${value}; it must be a whole number above 0.`)
  }
}

type OpenOptions = Required<Omit<PostgresSessionsOptions, 'queue'>>

function openStore(connectionString: string, options: OpenOptions): Access {
  const { schema, poolSize, retryMs } = options
  const database = openDatabase({ connectionString, schema, poolSize, retryMs }, migrate)
  const holder = openHolder(database, options)
  const watchers = watchersOf(`postgres ${hashOf(connectionString, schema)}`)
  const announcements = openAnnouncements(database, watchers)
  return openAccess({ database, holder, watchers, announcements })
}

function storeOf(access: Access, queue: RunQueue | undefined): SessionStore {
  const { database, holder, announcements, inOrder, write } = access
  const { query } = database
  let closing: Promise<void> | undefined

  return {
    runs: postgresRunStore(access, queue),

    async load(key) {
      checkSessionKey(key)
      // The version first: if another process writes in between, `begin` refuses it.
      const session = await findSession(query, holder, key)
      if (!session) return undefined
      const isAbandoned =
        session.run_id !== null && !session.is_resumable && holder.isLost({ ...session, run_id: session.run_id })
      if (!isAbandoned) return readSession(query, session)
      return write(async (writing) => {
        const locked = await lockSession(writing.query, key)
        if (!locked) return undefined
        const text = `${headOf(holder)} WHERE session = $1 AND ${isActive}`
        const [lost] = await writing.query<RunHead>(text, [locked.id])
        const settled = lost !== undefined && (await settleLostRun(writing, lost))
        return readSession(writing.query, settled ? { ...locked, version: locked.version + 1 } : locked)
      })
    },

    begin: (key, { runId, expectedVersion, input, replaces }) =>
      inOrder(runId, async () => {
        checkSessionKey(key)
        const bodies = input.map(toJSON)
        const none = { deadline: null, agentVersion: null, options: null, progress: null, notifies: false }
        const columns = { ...none, agentId: key.agentId, isResumable: false, keepsEvents: false }
        const run = { key, runId, expectedVersion, input, bodies, replaces, mayBeginAgain: input.length === 0, columns }
        holder.hold(runId, await beginRun(access, run))
      }),

    append(runId, messages, state) {
      const entry = prepareEntry({ messages, ...(state !== undefined && { state }) })
      return inOrder(runId, () => storeEntry(access, runId, entry))
    },

    end(runId, status, usage) {
      const usageText = jsonOrNull(usage)
      return inOrder(runId, async () => {
        try {
          await storeEntry(access, runId, prepareEntry({}), {
            after: async ({ query, now }, isRepeated) => {
              if (!isRepeated) await query(endTurnText, [toStored(runId), status, usageText, now])
            },
          })
          holder.letGo(runId)
        } catch (error) {
          // What could not be stored is lost from now on, and settled by the next run.
          if (holder.held(runId)) holder.abandon(runId)
          throw error
        }
      })
    },

    async find(runId) {
      const [row] = await query<TurnRow>(`${turnColumns} AND run_id = $1`, [toStored(runId)])
      return row && toTurn(row)
    },

    async turns(key, { after, limit = Number.MAX_SAFE_INTEGER } = {}) {
      checkSessionKey(key)
      const count = Math.min(limit, Number.MAX_SAFE_INTEGER)
      const ofSession = 'session = (SELECT id FROM agentkit.sessions WHERE key = $1)'
      const place = `(SELECT number FROM agentkit.runs WHERE run_id = $3 AND ${ofSession})`
      const text = `${turnColumns} AND ${ofSession} ${after === undefined ? '' : `AND number > ${place}`} ORDER BY number LIMIT $2`
      const values = [keyOf(key), count, ...(after === undefined ? [] : [toStored(after)])]
      return (await query<TurnRow>(text, values)).map(toTurn)
    },

    async list(owner, options) {
      checkSessionKey({ userId: owner.userId })
      return listSessions(access, owner, options)
    },

    async rename(key, title) {
      checkSessionKey(key)
      const text = 'UPDATE agentkit.sessions SET title = $2 WHERE key = $1 RETURNING 1'
      const renamed = await query(text, [keyOf(key), toStored(title)])
      if (renamed.length === 0) throw new AgentKitError('not-found', `There is no session "${key.sessionId}".`)
    },

    async delete(key) {
      checkSessionKey(key)
      await query('DELETE FROM agentkit.sessions WHERE key = $1', [keyOf(key)])
    },

    close() {
      closing ??= announcements
        .close()
        .then(() => queue?.close())
        .then(() => holder.close())
        .then(() => database.close())
      return closing
    },
  }
}

const endTurnText = `WITH run AS (UPDATE agentkit.runs SET status = $2::text, holder = NULL,
      holds_session = holds_session AND $2::text <> 'waiting', usage = coalesce($3::text, usage),
      ended_at = CASE WHEN $2::text <> 'waiting' THEN $4::bigint END,
      waiting_since = CASE WHEN $2::text = 'waiting' THEN $4::bigint END
    WHERE run_id = $1 RETURNING session)
  UPDATE agentkit.sessions SET version = version + 1, updated_at = $4::bigint FROM run WHERE id = run.session`
