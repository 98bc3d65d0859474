import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { sqliteSessions } from '../sqlite-sessions.ts'
import { migrate, migrations } from './migrations.ts'

const owner = { agentId: 'helper', userId: 'ann' }
let folder: string
let path: string
beforeEach(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  folder = await mkdtemp(join(tmpdir(), 'agentkit-sessions-'))
  path = join(folder, 'sessions.db')
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(folder, { recursive: true })
})

it('finds the turns that version 3 has stored, and no run without a session or of a member', async () => {
  const database = new DatabaseSync(path)
  migrate(database, path, { steps: migrations.slice(0, 3) })
  database.exec(`INSERT INTO sessions (id, agent_id, user_id, session_id, version, created_at, updated_at) VALUES
    (1, 'helper', 'ann', 's1', 2, 1, 1), (2, 'helper:run', 'ann', 'r2', 2, 1, 1), (3, 'helper', 'bob', 's1', 2, 1, 1)`)
  const run =
    database.prepare(`INSERT INTO runs (run_id, session, agent_id, user_id, status, root, created_at, ended_at)
    VALUES (?, ?, 'helper', ?, ?, ?, 1, 5)`)
  const message = database.prepare('INSERT INTO messages (run, position, body) VALUES (?, 0, ?)')
  const runs = [
    ['r1', 1, 'ann', 'done', null],
    ['r2', 2, 'ann', 'done', null],
    ['r3', 3, 'bob', 'done', null],
    ['r4', 1, 'ann', 'failed', null],
    ['r1/call', 1, 'ann', 'done', 'r1'],
  ] as const
  for (const row of runs) {
    const { lastInsertRowid } = run.run(...row)
    message.run(lastInsertRowid, JSON.stringify({ v: 1, role: 'user', content: `Question of ${row[0]}` }))
  }
  database.close()

  const { memory, close } = sqliteSessions(path)
  const ids = (await memory?.turns(owner, 0))?.map(({ id }) => id) ?? []
  expect(await memory?.read(owner, ids, 0)).toEqual([
    { id: 1, at: 5, runId: 'r1', sessionId: 's1', messages: [{ role: 'user', text: 'Question of r1' }] },
  ])
  expect(ids).toEqual([1])
  await close()
})

it('leaves no byte of a note that was removed, after a clean close', async () => {
  const store = sqliteSessions(path)
  const secret = 'a-note-that-nobody-must-find'
  await store.memory?.addNote(owner, { noteId: 'n1', text: secret, runId: 'none' }, 50)
  await store.memory?.removeNote(owner, 'n1')
  const database = new DatabaseSync(path)
  // The close removes this row.
  expect(database.prepare('SELECT count(*) AS traces FROM traces').get()).toEqual({ traces: 1 })
  database.close()
  await store.close()
  expect((await readFile(path)).includes(secret)).toBe(false)
})

it('skips a damaged message, and finds all others', async () => {
  const store = sqliteSessions(path)
  const key = { ...owner, sessionId: 's1' }
  const say = { v: 1, role: 'user', content: 'Hello' } as const
  await store.begin(key, { runId: 'r1', expectedVersion: 0, input: [say] })
  await store.append('r1', [{ v: 1, role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }])
  await store.end('r1', 'done')
  const database = new DatabaseSync(path)
  database.exec(`UPDATE messages SET body = '{' WHERE position = 0`)
  database.close()
  const [turn] = (await store.memory?.read(owner, [1], 0)) ?? []
  expect(turn?.messages).toEqual([{ role: 'assistant', text: 'Hi' }])
  await store.close()
})
