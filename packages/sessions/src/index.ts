export { type SQLiteSessionsOptions, sqliteSessions } from './sqlite-sessions.ts'
