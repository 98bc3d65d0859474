import { expect, it } from 'vitest'
import { answer, type GetStore, key, load, runTurn, user } from './turns.ts'

/** A run that replaces an earlier one of its session. */
export function replaceTests(getStore: GetStore): void {
  it('hides a run that is replaced and every later one, and keeps their journal', async () => {
    const store = getStore()
    await runTurn(store, key, 'r1', [user('one'), answer('1')])
    await runTurn(store, key, 'r2', [user('two'), answer('2')])
    await runTurn(store, key, 'r3', [user('three'), answer('3')], { status: 'failed' })
    await replace('r2', 'r4')
    expect((await load(store, key)).messages).toEqual([user('one'), answer('1'), user('r4'), answer('again')])
    const turns = await store.turns(key)
    expect(turns.map(({ runId, status }) => `${runId} ${status}`)).toEqual([
      ...['r1 done', 'r2 replaced', 'r3 replaced', 'r4 done'],
    ])
    expect(turns[1]?.messages).toEqual([user('two'), answer('2')])
    expect(await store.find('r2')).toEqual(turns[1])
    const [info] = await store.list(key)
    expect(info).toMatchObject({ turns: 2, title: 'one' })
  })

  it('hides nothing when the run cannot begin', async () => {
    const store = getStore()
    await runTurn(store, key, 'r1', [user('one'), answer('1')])
    const before = await store.load(key)
    const late = { runId: 'r2', expectedVersion: 1, input: [user('two')], replaces: 'r1' }
    await expect(store.begin(key, late)).rejects.toMatchObject({ code: 'session-conflict' })
    expect(await store.load(key)).toEqual(before)
  })

  it.each([
    ['of another session', { ...key, sessionId: 'other' }],
    ['of another user', { ...key, userId: 'bob' }],
    ['of another agent', { ...key, agentId: 'other' }],
  ])('replaces no run %s', async (_, other) => {
    const store = getStore()
    await runTurn(store, key, 'r1', [user('one'), answer('1')])
    await runTurn(store, other, 'r2', [user('two'), answer('2')])
    await expect(replace('r1', 'r3', other)).rejects.toMatchObject({ code: 'not-found' })
    expect((await load(store, key)).messages).toHaveLength(2)
    expect((await load(store, other)).messages).toHaveLength(2)
  })

  it('replaces no run that is unknown or replaced already', async () => {
    const store = getStore()
    await runTurn(store, key, 'r1', [user('one'), answer('1')])
    await replace('r1', 'r2')
    await expect(replace('r1', 'r3')).rejects.toMatchObject({ code: 'not-found' })
    await expect(replace('r9', 'r3')).rejects.toMatchObject({ code: 'not-found' })
    await replace('r2', 'r3')
    expect((await load(store, key)).messages).toEqual([user('r3'), answer('again')])
  })

  it('ends a suspended run that is replaced: it cannot begin again', async () => {
    const store = getStore()
    await runTurn(store, key, 'r1', [user('one')], { status: 'waiting' })
    await replace('r1', 'r2')
    const { version } = await load(store, key)
    const again = store.begin(key, { runId: 'r1', expectedVersion: version, input: [] })
    await expect(again).rejects.toMatchObject({ code: 'session-conflict' })
  })

  it('restores the state that the last turn which is left had stored', async () => {
    const store = getStore()
    await runTurn(store, key, 'r1', [user('one'), answer('1')], { state: { step: 1 } })
    await runTurn(store, key, 'r2', [user('two'), answer('2')])
    await runTurn(store, key, 'r3', [user('three'), answer('3')], { state: { step: 3 } })
    await replace('r3', 'r4')
    expect((await load(store, key)).state).toEqual({ step: 1 })
    await replace('r1', 'r5')
    expect(await load(store, key)).not.toHaveProperty('state')
  })

  it('hides the turns of members, whose run ids begin with that of the run', async () => {
    const store = getStore()
    const member = { ...key, agentId: 'helper/member' }
    // The id of the earlier run begins with the id of the later one.
    await runTurn(store, key, 'r10', [user('one'), answer('1')])
    await runTurn(store, member, 'r10/call', [user('task one'), answer('done')])
    await runTurn(store, key, 'r1', [user('two'), answer('2')])
    await runTurn(store, member, 'r1/call', [user('task two'), answer('done')])
    await replace('r1', 'r3')
    expect((await load(store, member)).messages).toEqual([user('task one'), answer('done')])
    await replace('r10', 'r4')
    expect((await load(store, member)).messages).toEqual([])
  })

  async function replace(replaces: string, runId: string, session = key): Promise<void> {
    const store = getStore()
    const expectedVersion = (await store.load(session))?.version ?? 0
    await store.begin(session, { runId, expectedVersion, input: [user(runId)], replaces })
    await store.append(runId, [answer('again')])
    await store.end(runId, 'done')
  }
}
