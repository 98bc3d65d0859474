// For agentkit's own packages, not for users: this entry follows no semver and may change in any release. It has only
// the parts for SQLite, so that an agent whose sessions are in a file does not load the parts for Postgres.

export { sqliteSessions } from './sqlite-sessions.ts'
