import { isAgentKitError } from '@agentkit/core'
import type { Finding } from '@agentkit/core/internal'
import { loadPg } from './database/load-pg.ts'
import { placeOf, toPostgresError } from './database/postgres-errors.ts'

const oldestServer = 130_000
/** How long a connection, a statement and a notification may take, in milliseconds. */
const stepMs = 2_500
const schema = 'agentkit'

/**
 * Checks a Postgres of sessions without changing it: its version, the rights of the user, its schema, and whether
 * notifications arrive, which a pooler of transactions drops.
 */
export async function inspectPostgres(connectionString: string): Promise<Finding> {
  const place = placeOf(connectionString)
  const clients: { end(): Promise<void> }[] = []
  try {
    const { Client } = await loadPg()
    const connect = async (): Promise<InstanceType<typeof Client>> => {
      const client = new Client({
        connectionString,
        connectionTimeoutMillis: stepMs,
        statement_timeout: stepMs,
        query_timeout: stepMs,
      })
      // A connection that is lost rejects the query, and would end the process as an event.
      client.on('error', () => {})
      clients.push(client)
      await client.connect()
      return client
    }
    const client = await connect()
    const { rows } = await client.query(facts, [schema])
    const problem = problemOf(rows[0], place)
    if (problem) return problem
    if (!(await notifies(client, await connect()))) {
      const detail = `${place} delivers no notifications: a pooler of transactions is in between.`
      return { status: 'fail', detail, fix: 'Use the address of Postgres itself, or a pooler of sessions.' }
    }
    const { version } = rows[0]
    return { status: 'ok', detail: `Postgres ${version} at ${place} has the rights, and delivers notifications.` }
  } catch (error) {
    const known = isAgentKitError(error) ? error : toPostgresError(error, { place, schema })
    const fix =
      known.code === 'missing-package' ? 'npm i @agentkit/queue-postgres pg' : 'Correct the address, or start Postgres.'
    return { status: 'fail', detail: known.message, fix }
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()))
  }
}

const facts = `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
  pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS read_only,
  to_regnamespace($1) IS NOT NULL AS has_schema,
  CASE WHEN to_regnamespace($1) IS NULL THEN has_database_privilege(current_database(), 'CREATE')
    ELSE has_schema_privilege($1, 'USAGE, CREATE') END AS may_write,
  current_user AS name, current_database() AS database`

type Facts = {
  number: number
  version: string
  read_only: boolean
  has_schema: boolean
  may_write: boolean
  name: string
  database: string
}

function problemOf(found: Facts, place: string): Finding | undefined {
  const { number, version, read_only, has_schema, may_write, name, database } = found
  if (number < oldestServer) {
    return {
      status: 'fail',
      detail: `Postgres at ${place} is version ${version}: sessions need 13 or newer.`,
      fix: 'Upgrade the server.',
    }
  }
  if (read_only) {
    return {
      status: 'fail',
      detail: `Postgres at ${place} is read-only.`,
      fix: 'Use the address of the primary server.',
    }
  }
  if (may_write) return undefined
  const quoted = (word: string): string => `"${word.replaceAll('"', '""')}"`
  const grant = has_schema
    ? `GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${quoted(name)}`
    : `GRANT CREATE ON DATABASE ${quoted(database)} TO ${quoted(name)}`
  return { status: 'fail', detail: `The user ${name} may not create tables at ${place}.`, fix: grant }
}

type Listener = {
  query(text: string): Promise<unknown>
  on(event: 'notification', listener: () => void): unknown
}

/** Whether a notification of one connection reaches the other. */
async function notifies(listening: Listener, other: Listener): Promise<boolean> {
  const channel = `agentkit_doctor_${process.pid}`
  const { promise, resolve } = Promise.withResolvers<boolean>()
  listening.on('notification', () => resolve(true))
  await listening.query(`LISTEN ${channel}`)
  await other.query(`NOTIFY ${channel}`)
  const timer = setTimeout(resolve, stepMs, false)
  return promise.finally(() => clearTimeout(timer))
}
