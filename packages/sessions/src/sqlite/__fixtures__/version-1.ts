import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const sql = readFileSync(new URL('./version-1.sql', import.meta.url), 'utf8')

/** Creates a database as version 1 wrote it, with this many more runs, each with a message of this size. */
export function createVersion1(path: string, { runs = 0, bytes = 0 }: { runs?: number; bytes?: number } = {}): void {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL')
  database.exec(`BEGIN; ${sql}; COMMIT`)
  const addSession = database.prepare("INSERT INTO sessions VALUES (?, 'helper', 'bob', ?, 2, NULL, 1, 1)")
  const addRun = database.prepare("INSERT INTO runs VALUES (?, ?, ?, 'done', 'gone', '{}', NULL, 1)")
  const addMessage = database.prepare('INSERT INTO messages VALUES (?, 0, ?)')
  database.exec('BEGIN')
  for (let index = 0; index < runs; index++) {
    const id = 1_000 + index
    addSession.run(id, `s${index}`)
    addRun.run(id, `more${index}`, id)
    addMessage.run(id, JSON.stringify({ v: 1, role: 'user', content: `question ${index} ${'x'.repeat(bytes)}` }))
  }
  database.exec('COMMIT')
  database.close()
}
