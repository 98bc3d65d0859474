export { type PostgresServer, type PostgresSettings, startPostgres } from './start-postgres.ts'
export { testDatabase, testPostgres } from './test-database.ts'
