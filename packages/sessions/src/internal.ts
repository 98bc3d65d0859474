// For agentkit's own packages, not for users: this entry follows no semver and may change in any release.

export { inspectPostgres } from './postgres/inspect-postgres.ts'
export { inspectSQLite } from './sqlite/inspect-sqlite.ts'
