import { AgentKitError, checkSessionKey, type RunQueue, type SessionStore } from '@agentkit/core'
import { checkLimit, sessionFrom } from '@agentkit/core/internal'
import { jsonOrNull, toJSON } from '../util/json.ts'
import { memoryOwnerOf } from '../util/memory-owner.ts'
import { watchersOf } from '../util/watchers.ts'
import { type Access, openAccess } from './database/access.ts'
import { openAnnouncements } from './database/announcements.ts'
import { type DatabaseOptions, openDatabase } from './database/database.ts'
import { type HolderOptions, openHolder } from './database/holder.ts'
import { hashOf, toStored } from './database/text-form.ts'
import { migrate } from './migrations/migrate.ts'
import { postgresRunStore } from './run-store.ts'
import { beginRun, settleLostRun } from './runs/begin-run.ts'
import {
  findSession,
  headOf,
  isActive,
  keyOf,
  lockSession,
  type RunHead,
  readTurn,
  type TurnRow,
  toTurn,
  turnColumns,
} from './runs/rows.ts'
import { storeEntry } from './runs/store-entry.ts'
import { prepareEntry } from './runs/write-entry.ts'
import { listSessions } from './sessions/list-sessions.ts'
import { dropForgotten, postgresMemory } from './sessions/postgres-memory.ts'
import { readSession } from './sessions/session-messages.ts'

export type StoreOptions = DatabaseOptions & HolderOptions

/** A store with a pool of connections of its own, which is opened by the first call. */
export function openPostgresStore(
  connectionString: string,
  options: Omit<StoreOptions, 'connectionString'>,
  queue: RunQueue | undefined,
): SessionStore {
  const access = accessTo({ ...options, connectionString }, queue)
  const { database, holder, announcements, cache, inOrder, write } = access
  const { query } = database
  let closing: Promise<void> | undefined

  return {
    runs: postgresRunStore(access, queue),
    memory: postgresMemory(access),

    async load(key, options) {
      checkSessionKey(key)
      // The version first: if another process writes in between, `begin` refuses it.
      const session = await findSession(query, holder, key)
      if (!session) return undefined
      const isAbandoned =
        session.run_id !== null && !session.is_resumable && holder.isLost({ ...session, run_id: session.run_id })
      if (!isAbandoned) return sessionFrom(await readSession(query, session, cache), options)
      return write(async (writing) => {
        const locked = await lockSession(writing.query, key)
        if (!locked) return undefined
        const text = `${headOf(holder)} WHERE session = $1 AND ${isActive}`
        const [lost] = await writing.query<RunHead>(text, [locked.id])
        const settled = lost !== undefined && (await settleLostRun(writing, lost))
        const version = settled ? locked.version + 1 : locked.version
        return sessionFrom(await readSession(writing.query, { ...locked, version }), options)
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
          holder.release(runId)
        } catch (error) {
          // A run whose end could not be stored is lost from now on, and settled by the next run.
          holder.abandon(runId)
          throw error
        }
      })
    },

    find: (runId) => readTurn(query, runId),

    async turns(key, { after, limit = Number.MAX_SAFE_INTEGER } = {}) {
      checkSessionKey(key)
      checkLimit(limit)
      const count = Math.min(limit, Number.MAX_SAFE_INTEGER)
      const ofSession = 'session = (SELECT id FROM agentkit.sessions WHERE key = $1)'
      const place = `(SELECT number FROM agentkit.runs WHERE run_id = $3 AND ${ofSession})`
      const text = `${turnColumns} AND ${ofSession} ${after === undefined ? '' : `AND number > ${place}`} ORDER BY number LIMIT $2`
      const values = [keyOf(key), count, ...(after === undefined ? [] : [toStored(after)])]
      return (await query<TurnRow>(text, values)).map(toTurn)
    },

    async list(owner, options) {
      checkSessionKey({ userId: owner.userId })
      checkLimit(options?.limit)
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
      const deleted = await query<{ id: number }>('DELETE FROM agentkit.sessions WHERE key = $1 RETURNING id', [
        keyOf(key),
      ])
      for (const { id } of deleted) cache.forget(id)
      await dropForgotten(query, [memoryOwnerOf(key)])
    },

    close() {
      closing ??= announcements
        .close()
        .finally(() => queue?.close())
        .finally(() => holder.close())
        .finally(() => database.close())
      return closing
    },
  }
}

function accessTo(options: StoreOptions, queue: RunQueue | undefined): Access {
  const { connectionString, schema } = options
  const database = openDatabase(options, async (opening) => {
    await migrate(opening)
    await opening.run((query) => holder.readClock(query), { isSingle: true })
  })
  const holder = openHolder(database, options)
  const watchers = watchersOf(`postgres ${hashOf(connectionString, schema)}`)
  return openAccess({ database, holder, watchers, announcements: openAnnouncements(database, watchers) }, queue)
}

const endTurnText = `WITH run AS (UPDATE agentkit.runs SET status = $2::text, holder = NULL,
      holds_session = holds_session AND $2::text <> 'waiting', usage = coalesce($3::text, usage),
      ended_at = CASE WHEN $2::text <> 'waiting' THEN $4::bigint END,
      waiting_since = CASE WHEN $2::text = 'waiting' THEN $4::bigint END
    WHERE run_id = $1 RETURNING session)
  UPDATE agentkit.sessions SET version = version + 1, updated_at = $4::bigint FROM run WHERE id = run.session`
