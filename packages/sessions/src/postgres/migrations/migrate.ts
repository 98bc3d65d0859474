import { AgentKitError } from '@agentkit/core'
import type { Database, Query } from '../database/database.ts'
import { readOnlyWords } from '../database/postgres-errors.ts'
import { directTurns } from './direct-turns.ts'
import { endedRuns } from './ended-runs.ts'
import { failedRuns } from './failed-runs.ts'
import { listedRuns } from './listed-runs.ts'
import { memoryTable } from './memory-table.ts'
import { openRuns } from './open-runs.ts'
import { tables } from './tables.ts'

/** Each migrates the schema to the next version. Released steps are never changed; new ones are added. */
const migrations: readonly string[] = [tables, memoryTable, directTurns, listedRuns, failedRuns, openRuns, endedRuns]

const oldestServer = 130_000
/** How long a step may take, and the migration of another process: indexes of large tables are built. */
const longestMs = 3_600_000

/**
 * Checks the server, and migrates the schema to the newest version in one transaction. Of several processes at once, one
 * migrates and the others wait; one that is killed leaves the schema as it was.
 *
 * @throws AgentKitError `invalid-config` for a server that is too old or read-only; `storage` for a newer schema
 */
export async function migrate(database: Database, steps: readonly string[] = migrations): Promise<void> {
  const { place } = database
  const version = await database.run(
    async (query) => {
      await checkServer(query, place)
      return versionOf(query, database)
    },
    { isSingle: true },
  )
  if (version === steps.length) return
  await database.run(async (query) => {
    const { schema } = database.options
    await query(`SET LOCAL statement_timeout = ${longestMs}`)
    // Held until the end of the transaction; the words keep it apart from the locks of other applications.
    const lock = [`agentkit sessions ${schema}`]
    await query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', lock, longestMs)
    const current = await versionOf(query, database)
    if (current > steps.length) {
      throw new AgentKitError(
        'storage',
        `The schema "${schema}" of ${place} was made by a newer version of @agentkit/sessions (its version is ${current}, ` +
          `this one knows ${steps.length}). Update the package, or use another schema.`,
      )
    }
    if (current === 0) {
      const found = await query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema])
      // With `IF NOT EXISTS` alone, a user without the right to create schemas could not use an existing schema.
      if (found.length === 0) await query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`)
      await query('CREATE TABLE IF NOT EXISTS agentkit.version (version int NOT NULL)')
      await query('INSERT INTO agentkit.version VALUES (0)')
    }
    for (const step of steps.slice(current)) await query(step, undefined, longestMs)
    await query('UPDATE agentkit.version SET version = $1', [steps.length])
  })
}

async function checkServer(query: Query, place: string): Promise<void> {
  const [server] = await query<{ number: number; version: string; is_read_only: boolean }>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
      pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS is_read_only`,
  )
  if (server && server.number < oldestServer) {
    const fix = 'Sessions need Postgres 13 or newer: upgrade the server.'
    throw new AgentKitError('invalid-config', `Postgres at ${place} is version ${server.version}. ${fix}`)
  }
  if (server?.is_read_only) throw new AgentKitError('invalid-config', readOnlyWords(place))
}

async function versionOf(query: Query, { options }: Database): Promise<number> {
  // `to_regclass` may not see what another process has created while this one waited for the lock.
  const found = await query(
    `SELECT 1 FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND c.relname = 'version'`,
    [options.schema],
  )
  if (found.length === 0) return 0
  const [row] = await query<{ version: number }>('SELECT version FROM agentkit.version')
  return row?.version ?? 0
}
