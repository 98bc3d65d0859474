import { expect, it } from 'vitest'
import { answer, begin, type GetStore, key, load, runTurn, user } from './turns.ts'

/** Which runs may begin and write. */
export function conflictTests(getStore: GetStore): void {
  const conflict = { code: 'session-conflict' }

  it.each([
    ['has not moved that far', 5],
    ['has moved', 1],
    ['is that of a new session', 0],
  ])('refuses to begin at a version that %s', async (_, expectedVersion) => {
    const store = getStore()
    await runTurn(store, key, 'r1', [user('one'), answer('1')])
    await expect(begin(store, key, 'r2', expectedVersion)).rejects.toMatchObject(conflict)
    expect(await store.find('r2')).toBeUndefined()
    expect((await load(store, key)).version).toBe(2)
  })

  it('refuses to begin an unknown session at another version than 0', async () => {
    await expect(begin(getStore(), key, 'r1', 1)).rejects.toMatchObject(conflict)
    expect(await getStore().load(key)).toBeUndefined()
  })

  it('refuses to begin while another run is active in the session', async () => {
    const store = getStore()
    await begin(store, key, 'r1', 0)
    const { version } = await load(store, key)
    await expect(begin(store, key, 'r2', version)).rejects.toMatchObject(conflict)
    await store.append('r1', [answer('1')])
    await store.end('r1', 'done')
    await begin(store, key, 'r2', version + 1)
  })

  it('refuses a run id that is used, also in another session', async () => {
    const store = getStore()
    await runTurn(store, key, 'r1', [user('one'), answer('1')])
    await expect(begin(store, key, 'r1', 2)).rejects.toMatchObject(conflict)
    await expect(begin(store, { ...key, sessionId: 's2' }, 'r1', 0)).rejects.toMatchObject(conflict)
    expect((await store.find('r1'))?.messages).toEqual([user('one'), answer('1')])
    expect(await load(store, key)).toMatchObject({ version: 2 })
  })

  it.each(['done', 'failed', 'waiting'] as const)('accepts nothing more for a run that is %s', async (status) => {
    const store = getStore()
    await begin(store, key, 'r1', 0)
    await store.end('r1', status)
    await expect(store.append('r1', [answer('late')])).rejects.toMatchObject(conflict)
    await expect(store.end('r1', 'done')).rejects.toMatchObject(conflict)
    expect(await store.find('r1')).toMatchObject({ status, messages: [user('r1')] })
  })

  it('accepts nothing for a run that never began', async () => {
    await expect(getStore().append('r1', [answer('1')])).rejects.toMatchObject(conflict)
    await expect(getStore().end('r1', 'done')).rejects.toMatchObject(conflict)
  })

  it('lets exactly one of 50 parallel runs begin', async () => {
    const store = getStore()
    const attempts = Array.from({ length: 50 }, (_, index) => begin(store, key, `r${index}`, 0))
    const outcomes = await Promise.allSettled(attempts)
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(refused).toHaveLength(49)
    for (const { reason } of refused) expect(reason).toMatchObject(conflict)
    expect(await store.turns(key)).toHaveLength(1)
    expect((await load(store, key)).version).toBe(1)
  })

  it('locks one session without locking the others', async () => {
    const store = getStore()
    await begin(store, key, 'r1', 0)
    await runTurn(store, { ...key, sessionId: 's2' }, 'r2', [user('two'), answer('2')])
    await runTurn(store, { ...key, userId: 'bob' }, 'r3', [user('three'), answer('3')])
    await runTurn(store, { ...key, agentId: 'other' }, 'r4', [user('four'), answer('4')])
    expect((await load(store, key)).messages).toEqual([])
  })

  it.each([
    [
      ['a', 'b_c'],
      ['a_b', 'c'],
    ],
    [
      ['a', ''],
      ['', 'a'],
    ],
    [
      ['a\0b', 'c'],
      ['a', 'b\0c'],
    ],
    [
      ['Ann', 's'],
      ['ann', 's'],
    ],
    [
      ["x' or '1'='1", '%'],
      ['x', '_'],
    ],
    [
      ['__proto__', 'constructor'],
      ['constructor', '__proto__'],
    ],
    [
      ['é', 's'],
      ['e\u0301', 's'],
    ],
  ])('keeps the keys %j and %j apart', async ([userA, sessionA], [userB, sessionB]) => {
    const store = getStore()
    const keyA = { agentId: 'helper', userId: userA as string, sessionId: sessionA as string }
    const keyB = { agentId: 'helper', userId: userB as string, sessionId: sessionB as string }
    await runTurn(store, keyA, 'r1', [user('one'), answer('1')])
    expect(await store.load(keyB)).toBeUndefined()
    await runTurn(store, keyB, 'r2', [user('two'), answer('2')])
    expect((await load(store, keyA)).messages).toEqual([user('one'), answer('1')])
    expect((await load(store, keyB)).messages).toEqual([user('two'), answer('2')])
    expect((await store.list(keyA)).map((info) => info.sessionId)).toContain(sessionA)
  })
}
