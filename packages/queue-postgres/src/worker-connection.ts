import { randomUUID } from 'node:crypto'
import { terminalLine } from '@agentkit/core'
import pg from 'pg'
import { connectionSettings, schema } from './settings.ts'

type WorkerConnectionOptions = {
  connectionString: string
  /** Receives the payloads that were sent to the channel; `undefined` when something may have been missed. */
  onNotice(payload: string | undefined): void
  /** One pass over the queue: finds lost jobs, deletes completed ones. */
  supervise(): Promise<void>
  /** Called once a second: looks for jobs that were not announced, such as jobs that have become due. */
  poll(idleMs: number): Promise<void>
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
export class WorkerConnection {
  readonly #options: WorkerConnectionOptions
  #client: pg.Client | undefined
  #isSupervisor = false
  /** A pooler hands each statement to another connection: it has no LISTEN, and its locks outlive workers. */
  #isPooled = false
  #isClosed = false
  #workers = 1
  #ticks = 0
  #ticking: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  constructor(options: WorkerConnectionOptions) {
    this.#options = options
    this.#run()
  }

  /** How long a worker that found no job waits before it asks again, so that all workers ask 20 times a second at most. */
  get idleMs(): number {
    return this.#pollMs() <= tickMs ? 0 : this.#pollMs() // up to 20 workers: each asks once a second by itself
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#ticking
    await this.#client?.end().catch(() => {})
  }

  #run(): void {
    this.#ticking = this.#tick().then(() => {
      if (this.#isClosed) return
      const delayMs = this.#isSupervisor ? tickMs : Math.max(tickMs, this.#pollMs())
      this.#timer = setTimeout(() => this.#run(), delayMs).unref()
    })
  }

  async #tick(): Promise<void> {
    const { supervise, poll } = this.#options
    if (!this.#client && !this.#isPooled) await this.#connect()
    const current = this.#client
    try {
      if (current && !this.#isSupervisor) this.#isSupervisor = await becomesSupervisor(current)
      if (current && this.#ticks++ % 5 === 0) this.#workers = await countWorkers(current)
    } catch {
      if (current) this.#lose(current)
    }
    // Without a connection of its own a worker cannot know whether another one supervises: to do it twice does no harm.
    if (this.#isSupervisor || !this.#client) await supervise().catch(() => {})
    if (!this.#isClosed) await poll(this.idleMs).catch(() => {})
  }

  async #connect(): Promise<void> {
    const { connectionString, onNotice } = this.#options
    const { max: _, allowExitOnIdle: __, ...settings } = connectionSettings
    const opened = new pg.Client({ ...settings, connectionString, query_timeout: 5_000 })
    opened.on('error', () => this.#lose(opened))
    opened.on('end', () => this.#lose(opened))
    try {
      await opened.connect()
      // With these settings, the locks of a machine that lost its power or its network are released in seconds, not
      // hours.
      await opened.query('SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3')
      this.#isPooled = !(await listens(opened))
      if (this.#isPooled) {
        console.warn(terminalLine(`agentkit: ${pooledWarning}`))
        return this.#lose(opened)
      }
      opened.on('notification', ({ payload }) => onNotice(payload))
      await opened.query(`SELECT pg_advisory_lock_shared(${lock}, 0)`)
      this.#client = opened
      if (this.#isClosed) this.#lose(opened)
      onNotice(undefined)
    } catch {
      this.#lose(opened)
    }
  }

  #lose(lost: pg.Client): void {
    if (this.#client === lost) this.#client = undefined
    this.#isSupervisor = this.#client !== undefined && this.#isSupervisor
    lost.end().catch(() => {})
  }

  #pollMs(): number {
    return (this.#workers / pollsPerSecond) * 1_000
  }
}

/** Takes one of the locks of supervisors, if one is free. */
async function becomesSupervisor(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT FROM generate_series(1, ${supervisors}) place WHERE pg_try_advisory_lock(${lock}, place) LIMIT 1`,
  )
  return rows.length > 0
}

async function countWorkers(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    `SELECT count(*)::int AS workers FROM pg_locks JOIN pg_database ON pg_database.oid = database
      WHERE datname = current_database() AND locktype = 'advisory' AND objsubid = 2
        AND classid = ${lock}::oid AND objid = 0`,
  )
  return rows[0].workers
}

const pooledWarning =
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
