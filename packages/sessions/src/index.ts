export { type PostgresSessionsOptions, postgresSessions } from './postgres/postgres-sessions.ts'
export { type SQLiteSessionsOptions, sqliteSessions } from './sqlite/sqlite-sessions.ts'
