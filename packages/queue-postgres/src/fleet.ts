import { randomUUID } from 'node:crypto'
import { terminalLine } from '@agentkit/core'
import pg from 'pg'
import { connectionSettings, schema } from './settings.ts'

/** A worker among those that share the queue. */
export interface Fleet {
  /** How long a worker that found no job waits before it asks again, so that all workers ask 20 times a second at most. */
  readonly idleMs: number
  close(): Promise<void>
}

type FleetOptions = {
  connectionString: string
  /** Receives the payloads that were sent to the channel; `undefined` when something may have been missed. */
  onNotice(payload: string | undefined): void
  /** One pass over the queue: finds lost jobs, deletes completed ones. */
  supervise(): Promise<void>
  /** Called once a second: looks for jobs that were not announced, such as jobs that have become due. */
  look(): Promise<void>
}

/** How many workers make passes over the queue. The others take their places when they die. */
export const supervisors = 3
const tickMs = 1_000
const pollsPerSecond = 20
/** The first number of the advisory locks. */
export const lock: string = `hashtext('${schema}')`

/**
 * Holds one connection for what belongs to a connection: LISTEN, and advisory locks, which Postgres releases when the
 * worker dies: one of three makes a supervisor, and a shared one counts the workers.
 */
export function openFleet({ connectionString, onNotice, supervise, look }: FleetOptions): Fleet {
  let client: pg.Client | undefined
  let isSupervisor = false
  /** A pooler hands each statement to another connection: it has no LISTEN, and its locks outlive workers. */
  let isPooled = false
  let isClosed = false
  let workers = 1
  let ticks = 0
  let ticking: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  const pollMs = (): number => (workers / pollsPerSecond) * 1_000

  const lose = (lost: pg.Client): void => {
    if (client === lost) client = undefined
    isSupervisor = client !== undefined && isSupervisor
    lost.end().catch(() => {})
  }

  const connect = async (): Promise<void> => {
    const { max: _, allowExitOnIdle: __, ...settings } = connectionSettings
    const opened = new pg.Client({ ...settings, connectionString, query_timeout: 5_000 })
    opened.on('error', () => lose(opened))
    opened.on('end', () => lose(opened))
    try {
      await opened.connect()
      // With these settings, the locks of a machine that lost its power or its network are released in seconds, not
      // hours.
      await opened.query('SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3')
      isPooled = !(await listens(opened))
      if (isPooled) {
        console.warn(terminalLine(`agentkit: ${pooledWords}`))
        return lose(opened)
      }
      opened.on('notification', ({ payload }) => onNotice(payload))
      await opened.query(`SELECT pg_advisory_lock_shared(${lock}, 0)`)
      client = opened
      if (isClosed) lose(opened)
      onNotice(undefined)
    } catch {
      lose(opened)
    }
  }

  const tick = async (): Promise<void> => {
    if (!client && !isPooled) await connect()
    const current = client
    try {
      if (current && !isSupervisor) {
        const { rows } = await current.query(
          `SELECT FROM generate_series(1, ${supervisors}) place WHERE pg_try_advisory_lock(${lock}, place) LIMIT 1`,
        )
        isSupervisor = rows.length > 0
      }
      if (current && ticks++ % 5 === 0) {
        const { rows } = await current.query(
          `SELECT count(*)::int AS workers FROM pg_locks JOIN pg_database ON pg_database.oid = database
            WHERE datname = current_database() AND locktype = 'advisory' AND objsubid = 2
              AND classid = ${lock}::oid AND objid = 0`,
        )
        workers = rows[0].workers
      }
    } catch {
      if (current) lose(current)
    }
    // Without a connection of its own a worker cannot know whether another one supervises: to do it twice does no harm.
    if (isSupervisor || !client) await supervise().catch(() => {})
    if (!isClosed) await look().catch(() => {})
  }

  const run = (): void => {
    ticking = tick().then(() => {
      if (!isClosed) timer = setTimeout(run, isSupervisor ? tickMs : Math.max(tickMs, pollMs())).unref()
    })
  }
  run()

  return {
    get idleMs() {
      return pollMs() <= tickMs ? 0 : pollMs() // up to 20 workers: each asks once a second by itself
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await ticking
      await client?.end().catch(() => {})
    },
  }
}

const pooledWords =
  'LISTEN does not work on the connection of the queue, as through a pooler in transaction mode. Workers ask for jobs ' +
  'once a second. For less delay, give the queue a URL that leads to Postgres itself.'

/** Whether messages that are sent to the channel arrive. */
async function listens(client: pg.Client): Promise<boolean> {
  const probe = `probe ${randomUUID()}`
  const arrived = new Promise<boolean>((resolve) => {
    client.on('notification', ({ payload }) => payload === probe && resolve(true))
  })
  await client.query(`LISTEN ${schema}`)
  await client.query('SELECT pg_notify($1, $2)', [schema, probe])
  // Counted from here, as a slow server has answered both.
  const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 3_000).unref())
  return Promise.race([arrived, late])
}
