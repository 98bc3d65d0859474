// For agentkit's own packages, not for users: this entry follows no semver and may change in any release. It is what SQLite
// needs alone, so that an agent whose sessions are in a file does not load what is for Postgres.

export { sqliteSessions } from './sqlite-sessions.ts'
