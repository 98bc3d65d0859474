import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { storeIsClosed } from '../../util/store-is-closed.ts'
import { loadPg } from './load-pg.ts'
import { isConnectionUsable, isStatementLost, isTransient, placeOf, toPostgresError } from './postgres-errors.ts'

/**
 * Runs one statement of a connection. In its text, `agentkit.` is replaced with the schema.
 * @param waitMs how long its answer may take, in milliseconds; `queryMs` when absent
 */
export type Query = <Row>(text: string, values?: readonly unknown[], waitMs?: number) => Promise<Row[]>

export type DatabaseOptions = {
  connectionString: string
  schema: string
  poolSize: number
  /** How long a call tries again when the database is away, in milliseconds. */
  retryMs: number
  /** How long an answer may take, in milliseconds. A connection that gives none is replaced. */
  queryMs?: number
}

/** A small pool of connections. Every call is tried again while the database restarts or fails over. */
export interface Database {
  readonly options: DatabaseOptions
  /** The host and the database, for errors. */
  readonly place: string
  /** Prepares the database, unless it is ready. */
  open(): Promise<void>
  /** Runs one statement, which commits by itself. */
  query: Query
  /**
   * Runs `work` on one connection, in a transaction unless `isSingle`.
   * @param work called again after a lost connection, with `again`: an earlier try may have been committed
   */
  run<T>(work: (query: Query, again: boolean) => Promise<T>, options?: { isSingle?: boolean }): Promise<T>
  /** Replaces `agentkit.` by the schema. */
  toSQL(text: string): string
  close(): Promise<void>
}

/** How long an answer may take. The server gives up before that, and sooner on a transaction of a frozen process. */
const usualQueryMs = 12_000
const limitsOf = (queryMs: number): string =>
  `SET statement_timeout = ${Math.ceil(queryMs * 0.8)}; SET idle_in_transaction_session_timeout = ${Math.ceil(queryMs * 0.4)}`
const connectMs = 10_000
/** How long the first connection is tried: a wrong URL is reported soon. */
const firstRetryMs = 3_000

/** @param prepare runs once, before the first statement: checks the server, migrates the schema */
export function openDatabase(options: DatabaseOptions, prepare: (database: Database) => Promise<void>): Database {
  const { connectionString, schema, poolSize, retryMs } = options
  const place = placeOf(connectionString)
  const texts = new Map<string, { text: string; name: string }>()
  let pool: Promise<Pool> | undefined
  let prepared: Promise<void> | undefined
  let isReady = false
  let isClosed = false
  let canName = true

  /** Each text has one name, by which a connection prepares it once. */
  const statementOf = (text: string): { text: string; name: string } => {
    let statement = texts.get(text)
    if (!statement) {
      statement = { text: database.toSQL(text), name: `agentkit_${texts.size}` }
      texts.set(text, statement)
    }
    return statement
  }

  const queryOf =
    (client: PoolClient): Query =>
    async (text, values, waitMs) => {
      const statement = statementOf(text)
      // A text without values may have several statements, which cannot be prepared.
      const name = canName && values ? { name: statement.name } : {}
      const { rows } = await client.query({
        ...{ text: statement.text, ...name },
        ...(values && { values: [...values] }),
        ...(waitMs !== undefined && { query_timeout: waitMs }),
      })
      return rows
    }

  const tryOnce = async <T>(work: (query: Query) => Promise<T>, isSingle: boolean): Promise<T> => {
    pool ??= openPool(options)
    const client = await (await pool).connect()
    let failure: unknown
    try {
      if (isSingle) return await work(queryOf(client))
      await client.query('BEGIN')
      const result = await work(queryOf(client))
      await client.query('COMMIT')
      return result
    } catch (error) {
      failure = error
      if (!isSingle && isConnectionUsable(error))
        await client.query('ROLLBACK').then(
          () => {},
          () => {},
        )
      throw error
    } finally {
      client.release(failure !== undefined && !isConnectionUsable(failure))
    }
  }

  const retry = async <T>(work: (query: Query, again: boolean) => Promise<T>, isSingle: boolean): Promise<T> => {
    const deadline = performance.now() + (isReady ? retryMs : firstRetryMs)
    for (let tries = 0, isLost = false; ; tries++) {
      if (isClosed) throw storeIsClosed('postgresSessions(url)')
      try {
        return await tryOnce((query) => work(query, tries > 0), isSingle)
      } catch (error) {
        if (isStatementLost(error) && !isLost) {
          canName = false
          isLost = true
          continue
        }
        if (!isTransient(error) || performance.now() >= deadline) throw toPostgresError(error, { place, schema })
      }
      await sleep(Math.min(1_000, 25 * 2 ** tries) * (0.5 + Math.random() / 2))
    }
  }

  const ready = async (): Promise<void> => {
    if (isReady) return
    prepared ??= prepare({ ...database, run: (work, { isSingle = false } = {}) => retry(work, isSingle) })
    try {
      await prepared
      isReady = true
    } catch (error) {
      prepared = undefined
      throw error
    }
  }

  const database: Database = {
    options,
    place,
    open: ready,
    query: (text, values) => database.run((query) => query(text, values), { isSingle: true }),
    async run(work, { isSingle = false } = {}) {
      await ready()
      return retry(work, isSingle)
    },
    toSQL: (text) => text.replaceAll('agentkit.', `"${schema}".`),
    async close() {
      isClosed = true
      const opened = await pool?.catch(() => undefined)
      pool = undefined
      await opened?.end()
    },
  }
  return database

  async function openPool({ connectionString, queryMs = usualQueryMs }: DatabaseOptions): Promise<Pool> {
    const pg = await loadPg()
    const types = new pg.TypeOverrides()
    // Numbers of rows and milliseconds since 1970 are exact as numbers.
    types.setTypeParser(pg.types.builtins.INT8, Number)
    const opened = new pg.Pool({
      connectionString,
      max: poolSize,
      connectionTimeoutMillis: connectMs,
      query_timeout: queryMs,
      idleTimeoutMillis: 30_000,
      allowExitOnIdle: true,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5_000,
      application_name: 'agentkit',
      types,
    })
    // An idle connection that is lost is replaced; without a listener it would end the process.
    opened.on('error', () => {})
    opened.on('connect', (client) => {
      client.on('error', () => {})
      client.query(limitsOf(queryMs)).catch(() => {}) // the statement after it fails too
    })
    return opened
  }
}
