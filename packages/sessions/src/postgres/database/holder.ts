import { setTimeout as sleep } from 'node:timers/promises'
import { storeTime } from '../../util/store-time.ts'
import type { Database, Query } from './database.ts'

/** A row joined to its holder. */
export type HeldRow = { run_id: string; attempt: number; holder: string | null; is_alive: boolean }

/** The state of a run that the store works on. */
export type Held = {
  attempt: number
  /** The number of the run's messages. */
  count: number
  /** Whether it is a member's run, or has such runs. */
  inTree?: boolean
}

/** The identity of an open store for others, and its work. */
export interface Holder {
  readonly id: string
  /** SQL: whether the store of a row is alive. */
  readonly isAlive: string
  /** The time of the database, in milliseconds since 1970, once its clock was read. */
  now(): number
  readClock(query: Query): Promise<void>
  /** Sees to it that this store counts as alive before it holds something. */
  ensure(): Promise<void>
  /** Notes that this store does the work from now on. */
  hold(work: string, held?: Held): void
  /** @param attempt only this one; any when absent */
  release(work: string, attempt?: number): void
  /** Gives up a run whose end could not be stored: this attempt of it counts as lost from now on. */
  abandon(runId: string): void
  /** The state of a run that this store holds. */
  held(work: string): Held | undefined
  /** Whether the store that runs it has died. */
  isLost(row: HeldRow): boolean
  /** Work that the store still holds has no owner afterwards. */
  close(): Promise<void>
}

/** How long a store that closes waits for a database that is away. */
const closeMs = 2_000

export type HolderOptions = { heartbeatMs: number; staleAfterMs: number }

export function openHolder(database: Database, { heartbeatMs, staleAfterMs }: HolderOptions): Holder {
  const id = crypto.randomUUID()
  const works = new Map<string, Held>()
  /** The attempt of each. */
  const abandoned = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let lastBeat = Number.NEGATIVE_INFINITY
  let offset = 0
  /** The start of the machine's clock when that of the database was read; `undefined` before. */
  let start: number | undefined
  let isReading = false
  let isClosed = false

  const learn = async (read: Promise<{ now: number }[]>): Promise<void> => {
    const before = Date.now()
    const startBefore = clockStart()
    const [row] = await read
    const after = Date.now()
    // A clock that was set meanwhile has no range.
    if (!row || isSet(startBefore, clockStart())) return
    // The database has read its clock between both times, so the known offset is narrowed to this range.
    offset = Math.min(Math.max(offset, Math.floor(row.now - after)), Math.ceil(row.now - before))
    start = clockStart()
  }
  /** Reads the clock of the database again, once it was read. */
  const learnAgain = (): void => {
    if (isReading || isClosed) return
    isReading = true
    void learn(database.query(clockText))
      .catch(() => {})
      .finally(() => {
        isReading = false
      })
  }
  const beat = async (query: Query = database.query): Promise<void> => {
    await learn(query(beatText, [id]))
    lastBeat = performance.now()
    for (const [runId, attempt] of [...abandoned]) {
      await query(freeText, [id, runId, attempt])
      if (abandoned.get(runId) === attempt) abandoned.delete(runId)
    }
  }
  const startHeartbeats = (): void => {
    // After a failure the next heartbeat tries again.
    timer ??= setInterval(() => {
      if (works.size === 0 && abandoned.size === 0) stop()
      else beat().catch(() => {})
    }, heartbeatMs).unref()
  }
  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
  }

  return {
    id,
    // A restarted server gives every store the time to report again.
    isAlive: `EXISTS (SELECT 1 FROM agentkit.holders AS h WHERE h.id = holder
      AND greatest(h.heartbeat, pg_postmaster_start_time()) > clock_timestamp() - interval '${staleAfterMs} ms')`,
    now() {
      const present = clockStart()
      if (start === undefined || !isSet(start, present)) return storeTime() + offset
      // The clock of the machine was set, or the machine has slept.
      learnAgain()
      // The database takes whole milliseconds only.
      return storeTime() + offset - Math.round(present - start)
    },
    readClock: (query) => learn(query(clockText)),
    async ensure() {
      const wasSet = start !== undefined && isSet(start, clockStart())
      if (wasSet || performance.now() - lastBeat > heartbeatMs) await beat()
    },
    hold(work, held = { attempt: 1, count: 0 }) {
      works.set(work, held)
      startHeartbeats()
    },
    release(work, attempt) {
      if (attempt === undefined || works.get(work)?.attempt === attempt) works.delete(work)
    },
    abandon(runId) {
      const held = works.get(runId)
      if (!held) return
      works.delete(runId)
      abandoned.set(runId, held.attempt)
      startHeartbeats()
    },
    held: (work) => works.get(work),
    isLost: ({ holder, run_id, attempt, is_alive }) =>
      holder !== null && (holder === id ? works.get(run_id)?.attempt !== attempt : !is_alive),
    async close() {
      isClosed = true
      stop()
      works.clear()
      if (lastBeat !== Number.NEGATIVE_INFINITY) {
        // If the database cannot be reached, the row becomes stale.
        const removed = database.query('DELETE FROM agentkit.holders WHERE id = $1', [id]).catch(() => {})
        await Promise.race([removed, sleep(closeMs, undefined, { ref: false })])
      }
    },
  }
}

/** When the clock of this machine began to count, by its own time: another time once it was set. */
function clockStart(): number {
  return Date.now() - performance.now()
}

/** Clocks that are adjusted slowly move by less between two readings. */
function isSet(before: number, after: number): boolean {
  return Math.abs(after - before) > 1_000
}

const clockText = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now'
/** The statement also removes rows of stores that died long ago: a store without a row counts as dead. */
const beatText = `WITH old AS (DELETE FROM agentkit.holders WHERE heartbeat < clock_timestamp() - interval '1 day')
  INSERT INTO agentkit.holders (id, heartbeat) VALUES ($1, clock_timestamp())
  ON CONFLICT (id) DO UPDATE SET heartbeat = excluded.heartbeat
  RETURNING (extract(epoch FROM heartbeat) * 1000)::float8 AS now`
/** Nothing has this id: the run is lost. A later attempt may be held by this store again. */
const freeText = `UPDATE agentkit.runs SET holder = holder || ' (gone)'
  WHERE holder = $1 AND run_id = $2 AND attempt = $3 AND status = 'running'`
