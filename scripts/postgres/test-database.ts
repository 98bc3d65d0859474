import { type PostgresServer, startPostgres } from './start-postgres.ts'

let server: Promise<PostgresServer> | undefined

/**
 * A new database on the Postgres of this process.
 * @returns its URL, of a superuser
 */
export async function testDatabase(): Promise<string> {
  return (await testPostgres()).createDatabase()
}

/**
 * The Postgres of this process, started by the first caller. Each of vitest's workers has its own, and runs one file at a
 * time, so a test may restart it. It ends with the process.
 */
export function testPostgres(): Promise<PostgresServer> {
  server ??= startPostgres()
  return server
}
