import { expect, it } from 'vitest'
import { answer, begin, type GetStore, key, load, runTurn, user } from './turns.ts'

/** How turns are added to a session. */
export function turnTests(getStore: GetStore): void {
  it('returns `undefined` for a session without runs', async () => {
    const store = getStore()
    expect(await store.load(key)).toBeUndefined()
    expect(await store.find('r1')).toBeUndefined()
    expect(await store.turns(key)).toEqual([])
    expect(await store.list(key)).toEqual([])
    await expect(store.delete(key)).resolves.toBeUndefined()
  })

  it('changes the version when a turn begins and when it ends, not in between', async () => {
    const store = getStore()
    const versions: number[] = []
    const note = async (): Promise<void> => void versions.push((await load(store, key)).version)
    await begin(store, key, 'r1', 0)
    await note()
    await store.append('r1', [answer('1')])
    await note()
    await store.end('r1', 'done')
    await note()
    expect(versions).toEqual([1, 1, 2])
  })

  it('returns the finished turns to the next run, in order', async () => {
    const store = getStore()
    await runTurn(store, key, 'r1', [user('one'), answer('1')])
    await runTurn(store, key, 'r2', [user('two'), answer('2')])
    expect(await store.load(key)).toEqual({
      version: 4,
      messages: [user('one'), answer('1'), user('two'), answer('2')],
    })
  })

  it('leaves out the messages before `from`, and says where the rest begins', async () => {
    const store = getStore()
    await runTurn(store, key, 'r1', [user('one'), answer('1')])
    await runTurn(store, key, 'r2', [user('two'), answer('2')])
    await begin(store, key, 'r3', 4)
    const whole = { version: 5, messages: [user('one'), answer('1'), user('two'), answer('2')] }
    expect(await store.load(key, { from: 0 })).toEqual(whole)
    expect(await store.load(key, { from: 3 })).toEqual({ version: 5, messages: [answer('2')], from: 3 })
    expect(await store.load(key, { from: 9 })).toEqual({ version: 5, messages: [], from: 4 })
    expect(await store.load({ ...key, sessionId: 'none' }, { from: 3 })).toBeUndefined()
    for (const from of [-1, 0.5, Number.NaN]) {
      await expect(store.load(key, { from })).rejects.toMatchObject({ code: 'invalid-argument' })
    }
    expect(await store.load(key)).toEqual(whole)
  })

  it('accepts several messages as input', async () => {
    const store = getStore()
    const input = [user('earlier'), answer('yes'), user('now')]
    await store.begin(key, { runId: 'r1', expectedVersion: 0, input })
    await store.append('r1', [answer('done')])
    await store.end('r1', 'done')
    expect((await load(store, key)).messages).toEqual([...input, answer('done')])
  })

  it('finds a turn by its run, with its journaled messages, usage and time', async () => {
    const store = getStore()
    const before = Date.now()
    await begin(store, key, 'r1', 0)
    expect(await store.find('r1')).toMatchObject({ runId: 'r1', status: 'running', messages: [user('r1')] })
    await store.append('r1', [answer('1')])
    await store.end('r1', 'done', { inputTokens: 7, outputTokens: 3 })
    const turn = await store.find('r1')
    expect(turn).toEqual({
      runId: 'r1',
      messages: [user('r1'), answer('1')],
      status: 'done',
      usage: { inputTokens: 7, outputTokens: 3 },
      createdAt: expect.any(String),
    })
    const created = Date.parse(turn?.createdAt ?? '')
    expect(new Date(created).toISOString()).toBe(turn?.createdAt)
    expect(created).toBeGreaterThanOrEqual(before)
    expect(created).toBeLessThanOrEqual(Date.now())
  })
}
