import type { DatabaseSync } from 'node:sqlite'
import { AgentKitError } from '@agentkit/core'
import { addRunStore } from './migrate-to-2.ts'
import { addBackgroundRuns } from './migrate-to-3.ts'
import { addMemory } from './migrate-to-4.ts'
import { addDirectTurns } from './migrate-to-5.ts'
import { addListed } from './migrate-to-6.ts'
import { addPageIndexes } from './migrate-to-7.ts'
import { addOpenIndexes } from './migrate-to-8.ts'
import { addRunCounts } from './migrate-to-9.ts'

/** SQL, or a function for what SQL cannot do. Both run within the transaction of the migration. */
export type MigrationStep = string | ((database: DatabaseSync) => void)

/**
 * Each step migrates a database to the next version: step 0 creates version 1 in an empty file. Released steps are never
 * changed; new ones are added.
 */
export const migrations: readonly MigrationStep[] = [
  `
  -- Who runs something: one row per open store that has begun a run.
  CREATE TABLE holders (
    id TEXT NOT NULL PRIMARY KEY,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    thread INTEGER NOT NULL,
    heartbeat INTEGER NOT NULL -- milliseconds since 1970, as all times
  ) WITHOUT ROWID;

  CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    agent_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    state TEXT, -- JSON
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (agent_id, user_id, session_id)
  );

  CREATE TABLE runs (
    number INTEGER PRIMARY KEY, -- in the order in which they began
    run_id TEXT NOT NULL UNIQUE,
    session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    status TEXT NOT NULL CHECK (status IN ('running', 'done', 'failed', 'waiting')),
    holder TEXT NOT NULL,
    usage TEXT, -- JSON
    state TEXT, -- JSON
    created_at INTEGER NOT NULL
  );
  CREATE INDEX runs_of_session ON runs (session, number);
  CREATE UNIQUE INDEX one_running_run ON runs (session) WHERE status = 'running';

  -- With a rowid: without one the bodies would stand in the tree of the key, and finding a row would read those passed.
  CREATE TABLE messages (
    run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    body TEXT NOT NULL, -- JSON
    PRIMARY KEY (run, position)
  );
  `,
  addRunStore,
  addBackgroundRuns,
  addMemory,
  addDirectTurns,
  addListed,
  addPageIndexes,
  addOpenIndexes,
  addRunCounts,
]

export type MigrateOptions = {
  steps?: readonly MigrationStep[]
  /** Called with the present version before the first step on a file that has one, while no other process writes. */
  copy?(version: number): void
}

/**
 * Migrates a database to the newest version in one transaction. If two processes do so at once, one waits and then finds
 * the newest version.
 *
 * @throws AgentKitError `storage` for a file of a newer version, or one of another application
 */
export function migrate(
  database: DatabaseSync,
  file: string,
  { steps = migrations, copy = () => {} }: MigrateOptions = {},
): void {
  if (versionOf(database) === steps.length) return
  // Before the transaction, because SQLite ignores this pragma within one. Without it, dropping a table that is rebuilt
  // would delete all rows that refer to it.
  database.exec('PRAGMA foreign_keys = OFF')
  database.exec('BEGIN IMMEDIATE')
  try {
    const version = versionOf(database)
    if (version > steps.length) {
      throw new AgentKitError(
        'storage',
        `The session database ${file} was made by a newer version of @agentkit/sessions ` +
          `(its schema is ${version}, this one knows ${steps.length}). Update the package, or use another file.`,
      )
    }
    if (version === 0 && holdsTables(database)) {
      throw new AgentKitError(
        'storage',
        `The database ${file} holds something else than sessions. Use a file of its own for them.`,
      )
    }
    if (version > 0 && version < steps.length) copy(version)
    for (const step of steps.slice(version)) {
      if (typeof step === 'string') database.exec(step)
      else step(database)
    }
    checkReferences(database, file)
    database.exec(`PRAGMA user_version = ${steps.length}`)
    database.exec('COMMIT')
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK')
  }
}

/** Foreign keys were off. @throws AgentKitError `storage` when a row refers to one that does not exist */
function checkReferences(database: DatabaseSync, file: string): void {
  const broken = database.prepare('PRAGMA foreign_key_check').get()
  if (!broken) return
  throw new AgentKitError(
    'storage',
    `The session database ${file} cannot be migrated: a row of its table ${broken.table} refers to a missing row. ` +
      'Restore a backup, or move it away to start afresh.',
  )
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version)
}

function holdsTables(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined
}
