export { type SQLiteSessionsOptions, sqliteSessions } from './sqlite/sqlite-sessions.ts'
