import type { DatabaseSync } from 'node:sqlite'
import { AgentKitError } from '@agentkit/core'
import { foreignFile } from './sqlite-errors.ts'

/** In the header of each of our files: "akix". */
const applicationId = 0x61_6b_69_78

/** Incremented when the tables, `words.ts` or the layout of a segment change: such indexes are rebuilt. */
const schemaVersion = 1

/**
 * A file's chunks have consecutive numbers, in order, from `first_doc` on. Rows of deleted chunks stay until `graves` is
 * swept; nothing refers to them.
 *
 * The hash lookups `docs_by_id` and `docs_by_text` are written in key order at the end of a change. Hashes come in any
 * order, and pages that are written, evicted and written again make COMMIT slow, as SQLite then computes the checksums of
 * its log again. The same is true of `auto_vacuum`'s pages, which is why it is off.
 */
const tables = `
CREATE TABLE state (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE files (
  number INTEGER PRIMARY KEY, file TEXT NOT NULL UNIQUE, ext TEXT NOT NULL, size REAL NOT NULL, mtime_ms REAL NOT NULL,
  hash TEXT NOT NULL, status TEXT NOT NULL, reason TEXT, stale INTEGER, title TEXT, pages INTEGER,
  chunks INTEGER NOT NULL, characters INTEGER NOT NULL,
  first_doc INTEGER NOT NULL DEFAULT 0, docs INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE chunks (
  doc INTEGER PRIMARY KEY, file INTEGER NOT NULL, place INTEGER NOT NULL, id TEXT NOT NULL, text_hash TEXT NOT NULL,
  start INTEGER NOT NULL, "end" INTEGER NOT NULL, page INTEGER, page_end INTEGER, "row" INTEGER, row_end INTEGER,
  heading, quote NOT NULL
);
CREATE TABLE vectors (doc INTEGER PRIMARY KEY, file INTEGER NOT NULL, vector BLOB NOT NULL);
CREATE TABLE graves (first INTEGER PRIMARY KEY, docs INTEGER NOT NULL);
CREATE TABLE docs_by_id (key TEXT NOT NULL, doc INTEGER NOT NULL, PRIMARY KEY (key, doc)) WITHOUT ROWID;
CREATE TABLE docs_by_text (key TEXT NOT NULL, doc INTEGER NOT NULL, PRIMARY KEY (key, doc)) WITHOUT ROWID;
CREATE TABLE segments (
  number INTEGER PRIMARY KEY AUTOINCREMENT, first INTEGER NOT NULL, last INTEGER NOT NULL, docs INTEGER NOT NULL,
  bytes INTEGER NOT NULL, checksum INTEGER NOT NULL, dead BLOB NOT NULL
);
CREATE TABLE segment_parts (segment INTEGER NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL,
  PRIMARY KEY (segment, part));
`

/**
 * Creates the tables if they are missing, and replaces tables of another version.
 *
 * @throws AgentKitError `storage` when the file has contents of another program
 */
export function prepareSchema(database: DatabaseSync, path: string): void {
  if (isReady(database)) return
  database.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have been faster.
    if (isReady(database)) return
    const isOurs = numberOf(database, 'application_id') === applicationId
    const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
    if (!isOurs && !isEmpty) throw new AgentKitError('storage', foreignFile(path))
    dropTables(database)
    database.exec(tables)
    database.exec(`PRAGMA application_id = ${applicationId}`)
    database.exec(`PRAGMA user_version = ${schemaVersion}`)
    database.exec('COMMIT')
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK')
  }
}

/** Whether a database has our tables, of this version. */
export function isReady(database: DatabaseSync): boolean {
  return numberOf(database, 'application_id') === applicationId && numberOf(database, 'user_version') === schemaVersion
}

function numberOf(database: DatabaseSync, pragma: 'application_id' | 'user_version'): unknown {
  return database.prepare(`PRAGMA ${pragma}`).get()?.[pragma]
}

function dropTables(database: DatabaseSync): void {
  const found = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
  for (const { name } of found.all()) database.exec(`DROP TABLE "${String(name).replaceAll('"', '""')}"`)
}
