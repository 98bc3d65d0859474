import type { SessionKey } from '@agentkit/core'
import { expect, it } from 'vitest'
import { answer, begin, calls, type GetStore, key, result, runTurn, tick, user } from './turns.ts'

/** Titles, pages and searches of sessions. */
export function titleTests(getStore: GetStore): void {
  const session = (sessionId: string): SessionKey => ({ ...key, sessionId })
  const titles = async (): Promise<string[]> => (await getStore().list(key)).map(({ title }) => title)

  it('takes the first 60 characters of the first question as the title, in one line', async () => {
    await runTurn(getStore(), key, 'r1', [user(`  What\n\tis ${'𝕏'.repeat(80)}`), answer('It is an X.')])
    await runTurn(getStore(), key, 'r2', [user('And then?'), answer('Nothing.')])
    expect(await titles()).toEqual([`What is ${'𝕏'.repeat(52)}`])
  })

  it('takes the text of a question with an image as the title, and none without text', async () => {
    const image = { type: 'image', base64: 'aGk=', mediaType: 'image/png' } as const
    const store = getStore()
    await runTurn(store, session('s1'), 'r1', [{ role: 'user', content: [image, { type: 'text', text: 'A cat?' }] }])
    await tick()
    await runTurn(store, session('s2'), 'r2', [{ role: 'user', content: [image] }])
    expect(await titles()).toEqual(['', 'A cat?'])
  })

  it('renames a session permanently, and no other', async () => {
    const store = getStore()
    await runTurn(store, session('s1'), 'r1', [user('one'), answer('1')])
    await tick()
    await runTurn(store, session('s2'), 'r2', [user('two'), answer('2')])
    const before = await store.list(key)
    await store.rename(session('s1'), 'My é title')
    // A new title is no use of the session: its place in the list stays.
    expect(await store.list(key)).toEqual(
      before.map((info) => (info.sessionId === 's1' ? { ...info, title: 'My é title' } : info)),
    )
    await tick()
    await runTurn(store, session('s1'), 'r3', [user('three'), answer('3')])
    expect(await titles()).toEqual(['My é title', 'two'])
  })

  it.each([
    ['an unknown session', session('unknown')],
    ["another user's session", { ...key, userId: 'bob' }],
    ["another agent's session", { ...key, agentId: 'other' }],
  ])('refuses to rename %s', async (_, other) => {
    await runTurn(getStore(), key, 'r1', [user('one'), answer('1')])
    await expect(getStore().rename(other, 'mine')).rejects.toMatchObject({ code: 'not-found' })
    expect(await titles()).toEqual(['one'])
    expect(await getStore().list(other)).not.toContainEqual(expect.objectContaining({ title: 'mine' }))
  })

  it('pages through sessions', async () => {
    const store = getStore()
    for (const id of ['s1', 's2', 's3', 's4']) {
      await runTurn(store, session(id), `run of ${id}`, [user(id), answer(id)])
      await tick()
    }
    const page = async (options: { limit?: number; before?: string; q?: string }): Promise<string[]> =>
      (await store.list(key, options)).map(({ sessionId }) => sessionId)
    expect(await page({ limit: 2 })).toEqual(['s4', 's3'])
    expect(await page({ limit: 2, before: 's3' })).toEqual(['s2', 's1'])
    expect(await page({ before: 's1' })).toEqual([])
    expect(await page({ before: 'unknown' })).toEqual([])
    expect(await page({ q: 's', limit: 1, before: 's4' })).toEqual(['s3'])
    expect(await page({ q: 'S2' })).toEqual(['s2'])
  })

  it('finds sessions by their title and by what user and assistant said, whatever its case', async () => {
    const store = getStore()
    await runTurn(store, key, 'r1', [
      user('Where is ÉCLAIR 100%?'),
      calls('a'),
      result('a'),
      answer('In the Fridge_1.'),
    ])
    await runTurn(store, { ...key, userId: 'bob' }, 'r2', [user('éclair'), answer('None.')])
    const found = async (q: string): Promise<number> => (await store.list(key, { q })).length
    for (const q of ['éclair', '100%', 'FRIDGE_', 'in the fridge', 'where']) expect([q, await found(q)]).toEqual([q, 1])
    // Neither patterns, nor results of tools, nor the JSON around a text.
    for (const q of ['%', '_1', '\\', 'result of a', 'role', '"', 'None', 'éclairs']) {
      expect([q, await found(q)]).toEqual([q, q === '%' || q === '_1' ? 1 : 0])
    }
    await store.rename(key, 'Cakes "and" more')
    for (const q of ['CAKES', '"and"']) expect([q, await found(q)]).toEqual([q, 1])
    await store.begin(key, { runId: 'r3', expectedVersion: 2, input: [user('new')], replaces: 'r1' })
    expect(await found('éclair')).toBe(0)
  })

  it('names the run that holds a session while it does', async () => {
    const store = getStore()
    await begin(store, key, 'r1', 0)
    expect(await store.list(key)).toMatchObject([{ activeRunId: 'r1', turns: 1 }])
    await store.end('r1', 'done')
    expect((await store.list(key))[0]).not.toHaveProperty('activeRunId')
  })
}
