import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Message, SessionStore } from '@agentkit/core'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

/** A database, and a connection to it that no store uses. */
export type TestedDatabase = {
  /** Opens another store of the database, as another process would. */
  open(): SessionStore
  /** Runs SQL in which `runs` and `messages` are the tables. */
  execute(sql: string): Promise<void>
  cleanup(): Promise<void>
}

const key = { agentId: 'test', userId: 'ann', sessionId: 's' }
const said = (text: string): Message => ({ v: 1, role: 'assistant', content: [{ type: 'text', text }] })

/** Tests that a store which keeps messages in memory loads the changes of other stores. */
export function keptMessagesTests(create: () => Promise<TestedDatabase>): void {
  let database: TestedDatabase
  let store: SessionStore
  let other: SessionStore
  beforeEach(async () => {
    database = await create()
    store = database.open()
    other = database.open()
  })
  afterEach(async () => {
    await Promise.all([store.close(), other.close()])
    await database.cleanup()
  })

  let runs = 0
  async function addTurn(by: SessionStore, text: string, replaces?: string): Promise<string> {
    const runId = `run-${runs++}`
    const expectedVersion = (await by.load(key))?.version ?? 0
    const input: Message[] = [{ role: 'user', content: text }]
    await by.begin(key, { runId, expectedVersion, input, ...(replaces !== undefined && { replaces }) })
    await by.append(runId, [said(`${text}!`)])
    await by.end(runId, 'done')
    return runId
  }
  /** The messages as a new store loads them. */
  async function stored(): Promise<Message[]> {
    const fresh = database.open()
    const session = await fresh.load(key)
    await fresh.close()
    return session?.messages ?? []
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
    expect(await messages()).toEqual(await stored())
    expect(await messages()).toHaveLength(4)
    await addTurn(other, 'three', second)
    expect(await messages()).toEqual(await stored())
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
    ['replaced', `UPDATE runs SET replaced = '1' WHERE run_id = ?`],
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
    await database.execute(change.replace('?', `'${runId}'`))
    expect(await stored()).not.toEqual(before)
    expect(await messages()).toEqual(await stored())
  })

  it('reads a run that is open with each load, and those after it', async () => {
    await addTurn(store, 'one')
    const waiting = await addTurn(store, 'two')
    await database.execute(`UPDATE runs SET status = 'waiting' WHERE run_id = '${waiting}'`)
    await addTurn(store, 'three')
    expect(await messages()).toHaveLength(4)
    await database.execute(`UPDATE runs SET status = 'done' WHERE run_id = '${waiting}'`)
    expect(await messages()).toEqual(await stored())
    expect(await messages()).toHaveLength(6)
  })

  it.each([
    ['the retention', () => store.runs?.prune({ sessionsMs: 1 })],
    ['a user', () => store.delete(key)],
  ])('keeps nothing in memory of a session that %s has removed', async (_who, remove) => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    await addTurn(store, 'one')
    // A separate function, so that its variables can be collected afterwards.
    const load = async () => (await messages()).map((message) => new WeakRef(message))
    const kept = await load()
    // Only data older than a millisecond is removed, by a clock that counts whole milliseconds.
    await vi.waitFor(async () => {
      await remove()
      expect(await store.load(key)).toBeUndefined()
    })
    // A WeakRef holds its message until the end of the task that has made it.
    await vi.waitFor(() => {
      collect()
      // An error that had the messages would keep them.
      expect(kept.some((message) => message.deref() !== undefined)).toBe(false)
    })
  })

  it('loads what is stored, in random turns of two processes', async () => {
    const seed = Number(process.env.AGENTKIT_SEED ?? Math.trunc(Math.random() * 2 ** 31))
    let state = seed
    const random = (below: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31
      return Math.trunc((state / 2 ** 31) * below)
    }
    const known: string[] = []
    for (let step = 0; step < 30; step++) {
      const by = random(2) === 0 ? store : other
      const replaced = random(5) === 0 ? known[random(known.length)] : undefined
      if (random(15) === 0) await by.delete(key)
      else known.push(await addTurn(by, `turn ${step}`, replaced).catch(() => 'none'))
      const expected = await stored()
      for (const loaded of [await messages(), await messages(other)]) {
        expect(loaded, `AGENTKIT_SEED=${seed}, step ${step}`).toEqual(expected)
      }
    }
  })
}
