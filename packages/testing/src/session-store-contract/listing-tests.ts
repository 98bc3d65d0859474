import type { SessionKey } from '@agentkit/core'
import { expect, it } from 'vitest'
import { answer, begin, type GetStore, key, runTurn, tick, user } from './turns.ts'

/** Paging, listing and deleting. */
export function listingTests(getStore: GetStore): void {
  it('pages through turns, oldest first', async () => {
    const store = getStore()
    for (const runId of ['r1', 'r2', 'r3', 'r4', 'r5']) await runTurn(store, key, runId, [user(runId), answer(runId)])
    const page = async (options?: { after?: string; limit?: number }): Promise<string[]> =>
      (await store.turns(key, options)).map((turn) => {
        expect(turn.messages).toEqual([user(turn.runId), answer(turn.runId)])
        return turn.runId
      })
    expect(await page()).toEqual(['r1', 'r2', 'r3', 'r4', 'r5'])
    expect(await page({ limit: 2 })).toEqual(['r1', 'r2'])
    expect(await page({ after: 'r2', limit: 2 })).toEqual(['r3', 'r4'])
    expect(await page({ after: 'r4' })).toEqual(['r5'])
    expect(await page({ after: 'r5' })).toEqual([])
    expect(await page({ after: 'of another session' })).toEqual([])
  })

  it("lists a user's sessions with one agent, most recently used first", async () => {
    const store = getStore()
    const session = (sessionId: string): SessionKey => ({ ...key, sessionId })
    await runTurn(store, session('s1'), 'r1', [user('one'), answer('1')])
    await tick()
    await runTurn(store, session('s2'), 'r2', [user('two'), answer('2')])
    await tick()
    await runTurn(store, { ...key, userId: 'bob' }, 'r3', [user('three'), answer('3')])
    await runTurn(store, { ...key, agentId: 'other' }, 'r4', [user('four'), answer('4')])
    const times = {
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    }
    expect(await store.list(key)).toEqual([
      { sessionId: 's2', title: 'two', turns: 1, ...times },
      { sessionId: 's1', title: 'one', turns: 1, ...times },
    ])
    await tick()
    await runTurn(store, session('s1'), 'r5', [user('five'), answer('5')])
    const [last, first] = await store.list(key)
    expect(last).toMatchObject({ sessionId: 's1', turns: 2 })
    expect(first).toMatchObject({ sessionId: 's2', turns: 1 })
    expect(Date.parse(last?.updatedAt ?? '')).toBeGreaterThan(Date.parse(last?.createdAt ?? ''))
  })

  it.each([
    ['half of a surrogate pair', 'ann\ud800'],
    ['more than 1,024 bytes', 'é'.repeat(513)],
  ])('refuses a key with %s in it', async (_name, id) => {
    const store = getStore()
    const refused = { code: 'invalid-argument' }
    for (const bad of [
      { ...key, userId: id },
      { ...key, sessionId: id },
    ]) {
      await expect(store.load(bad)).rejects.toMatchObject(refused)
      await expect(begin(store, bad, 'r1', 0)).rejects.toMatchObject(refused)
      await expect(store.turns(bad)).rejects.toMatchObject(refused)
      await expect(store.rename(bad, 'title')).rejects.toMatchObject(refused)
      await expect(store.delete(bad)).rejects.toMatchObject(refused)
    }
    await expect(store.list({ ...key, userId: id })).rejects.toMatchObject(refused)
  })

  it('deletes a session with its turns, and no other', async () => {
    const store = getStore()
    const other = { ...key, sessionId: 's2' }
    await runTurn(store, key, 'r1', [user('one'), answer('1')], { state: 1 })
    await runTurn(store, other, 'r2', [user('two'), answer('2')])
    await store.delete(key)
    expect(await store.load(key)).toBeUndefined()
    expect(await store.find('r1')).toBeUndefined()
    expect(await store.turns(key)).toEqual([])
    expect((await store.list(key)).map((info) => info.sessionId)).toEqual(['s2'])
    await runTurn(store, key, 'r1', [user('again'), answer('!')])
    expect(await store.load(key)).toEqual({ version: 2, messages: [user('again'), answer('!')] })
  })

  it('ends a run whose session is deleted', async () => {
    const store = getStore()
    await begin(store, key, 'r1', 0)
    await store.delete(key)
    await expect(store.append('r1', [answer('1')])).rejects.toMatchObject({ code: 'session-conflict' })
    await expect(store.end('r1', 'done')).rejects.toMatchObject({ code: 'session-conflict' })
    expect(await store.load(key)).toBeUndefined()
  })
}
