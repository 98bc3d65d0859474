import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const sql = readFileSync(new URL('./version-2.sql', import.meta.url), 'utf8')

/** Creates a database as version 2 wrote it, with this many more runs, each with a message of this size. */
export function createVersion2(path: string, { runs = 0, bytes = 0 }: { runs?: number; bytes?: number } = {}): void {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL')
  database.exec(`BEGIN; ${sql}; COMMIT`)
  const addSession = database.prepare(
    "INSERT INTO sessions (id, agent_id, user_id, session_id, version, created_at, updated_at) VALUES (?, 'helper', 'bob', ?, 2, 1, 1)",
  )
  const addRun = database.prepare(
    "INSERT INTO runs (number, run_id, session, agent_id, user_id, status, created_at, answer) VALUES (?, ?, ?, 'helper', 'bob', 'done', 1, ?)",
  )
  const addMessage = database.prepare('INSERT INTO messages VALUES (?, 0, ?)')
  database.exec('BEGIN')
  for (let index = 0; index < runs; index++) {
    const id = 1_000 + index
    const text = `question ${index} ${'x'.repeat(bytes)}`
    addSession.run(id, `s${index}`)
    addRun.run(id, `more${index}`, id, text)
    addMessage.run(id, JSON.stringify({ v: 1, role: 'user', content: text }))
  }
  database.exec('COMMIT')
  database.close()
}
