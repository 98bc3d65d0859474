import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Message, SessionStore } from '@agentkit/core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { MessageCache } from './message-cache.ts'
import { visibleOf } from './session-messages.ts'
import { sqliteSessions } from './sqlite-sessions.ts'
import { prepareStatements } from './statements.ts'

const key = { agentId: 'test', userId: 'ann', sessionId: 's' }
let folder: string
let path: string
let store: SessionStore
/** On a connection of its own, as one of another process. */
let other: SessionStore
let database: DatabaseSync
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-messages-'))
  path = join(folder, 'sessions.db')
  store = sqliteSessions(path)
  other = sqliteSessions(path, { durability: 'full' })
  await store.load(key)
  database = new DatabaseSync(path)
  database.exec('PRAGMA foreign_keys = ON')
})
afterEach(async () => {
  database.close()
  await Promise.all([store.close(), other.close()])
  await rm(folder, { recursive: true })
})

let runs = 0
const said = (text: string): Message => ({ v: 1, role: 'assistant', content: [{ type: 'text', text }] })

async function addTurn(by: SessionStore, text: string, replaces?: string): Promise<string> {
  const runId = `run-${runs++}`
  const expectedVersion = (await by.load(key))?.version ?? 0
  const input: Message[] = [{ role: 'user', content: text }]
  await by.begin(key, { runId, expectedVersion, input, ...(replaces !== undefined && { replaces }) })
  await by.append(runId, [said(`${text}!`)])
  await by.end(runId, 'done')
  return runId
}

/** As a store reads them that has read nothing before. */
function stored(): Message[] {
  const id = database.prepare('SELECT id FROM sessions').get()?.id
  return id === undefined ? [] : visibleOf(prepareStatements(database), id as number)
}

const messages = async (from = store): Promise<Message[]> => (await from.load(key))?.messages ?? []

it('parses the messages of an ended run once, and freezes them', async () => {
  await addTurn(store, 'one')
  const [first] = await messages()
  await addTurn(store, 'two')
  const loaded = await messages()
  expect(loaded[0]).toBe(first)
  expect(loaded).toHaveLength(4)
  expect(Object.isFrozen(first)).toBe(true)
  loaded.length = 0
  expect(await messages()).toHaveLength(4)
})

it('sees what another process adds, replaces and deletes', async () => {
  await addTurn(store, 'one')
  await messages()
  const second = await addTurn(other, 'two')
  expect(await messages()).toEqual(stored())
  expect(await messages()).toHaveLength(4)
  await addTurn(other, 'three', second)
  expect(await messages()).toEqual(stored())
  expect(await messages()).toHaveLength(4)
  await other.delete(key)
  expect(await store.load(key)).toBeUndefined()
})

it('is not misled by a session that another process made in the place of one that it deleted', async () => {
  await addTurn(store, 'one')
  await messages()
  await other.delete(key)
  await addTurn(other, 'new')
  expect(await messages()).toMatchObject([{ content: 'new' }, { content: [{ text: 'new!' }] }])
})

it.each([
  ['replaced', `UPDATE runs SET replaced = 1 WHERE run_id = ?`],
  ['tried again, and not ended yet', `UPDATE runs SET status = 'queued' WHERE run_id = ?`],
  ['ended otherwise', `UPDATE runs SET status = 'failed' WHERE run_id = ?`],
  ['deleted', `DELETE FROM runs WHERE run_id = ?`],
  [
    'tried again with another answer',
    `UPDATE runs SET attempt = attempt + 1 WHERE run_id = ?;
     UPDATE messages SET body = replace(body, 'two!', 'new!')`,
  ],
])('reads again when a run in the middle was %s', async (_what, change) => {
  await addTurn(store, 'one')
  const runId = await addTurn(store, 'two')
  await addTurn(store, 'three')
  const before = await messages()
  const [first = '', second] = change.split(';')
  database.prepare(first).run(runId)
  if (second) database.exec(second)
  expect(stored()).not.toEqual(before)
  expect(await messages()).toEqual(stored())
})

it('reads a run that is open with each load, and those after it', async () => {
  await addTurn(store, 'one')
  const waiting = await addTurn(store, 'two')
  database.prepare(`UPDATE runs SET status = 'waiting' WHERE run_id = ?`).run(waiting)
  await addTurn(store, 'three')
  expect(await messages()).toHaveLength(4)
  database.prepare(`UPDATE runs SET status = 'done' WHERE run_id = ?`).run(waiting)
  expect(await messages()).toEqual(stored())
  expect(await messages()).toHaveLength(6)
})

it('loads what is stored, in random turns of two processes', async () => {
  const seed = Number(process.env.AGENTKIT_SEED ?? Math.trunc(Math.random() * 2 ** 31))
  let state = seed
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.trunc((state / 2 ** 31) * below)
  }
  const known: string[] = []
  for (let step = 0; step < 60; step++) {
    const by = random(2) === 0 ? store : other
    const replaced = random(5) === 0 ? known[random(known.length)] : undefined
    if (random(15) === 0) await by.delete(key)
    else known.push(await addTurn(by, `turn ${step}`, replaced).catch(() => 'none'))
    for (const loaded of [await messages(), await messages(other)]) {
      expect(loaded, `AGENTKIT_SEED=${seed}, step ${step}`).toEqual(stored())
    }
  }
})

it('keeps so many sessions of so many characters, those that were loaded last', () => {
  const cache = new MessageCache({ sessions: 3, chars: 100 })
  const runs = { last: 1, lastId: 'r', count: 1, attempts: 1, replaced: 0, done: 1 }
  const kept = (): number[] => [1, 2, 3, 4, 5].filter((session) => cache.get(session))
  for (const session of [1, 2, 3, 1, 4]) cache.set(session, { messages: [], runs, chars: 10 })
  expect(kept()).toEqual([1, 3, 4])
  cache.set(5, { messages: [], runs, chars: 85 })
  expect(kept()).toEqual([4, 5])
  cache.set(5, { messages: [], runs, chars: 101 })
  expect(kept()).toEqual([])
  cache.set(1, { messages: [], runs, chars: 100 })
  expect(kept()).toEqual([1])
  cache.forget(1)
  expect(kept()).toEqual([])
})
