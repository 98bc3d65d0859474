import type { SessionKey, SessionStore } from '@agentkit/core'
import { expect, it } from 'vitest'
import { answer, begin, calls, type GetStore, key, load, result, runTurn, user } from './turns.ts'

const conflict = { code: 'session-conflict' }

/** How suspended runs are resumed. */
export function waitingTests(getStore: GetStore): void {
  it('resumes a suspended run with its journaled messages, state, usage and time', async () => {
    const store = getStore()
    await waitForApproval(store, 'r1')
    const waiting = await store.find('r1')
    expect(waiting).toMatchObject({ status: 'waiting', state: { asks: 'b' }, usage: { totalTokens: 5 } })
    await wake(store, 'r1')
    expect(await store.find('r1')).toEqual({ ...waiting, status: 'running' })
    expect((await load(store, key)).version).toBe(3)
    await store.append('r1', [result('b')])
    await store.append('r1', [answer('1')], { asks: 'nothing' })
    await store.end('r1', 'done')
    expect((await load(store, key)).version).toBe(4)
    expect(await store.find('r1')).toMatchObject({
      status: 'done',
      messages: [user('r1'), calls('a', 'b'), result('a'), result('b'), answer('1')],
      state: { asks: 'nothing' },
    })
  })

  it('keeps the place of a suspended run, whatever ran in between', async () => {
    const store = getStore()
    await runTurn(store, key, 'r1', [user('r1'), answer('1')])
    await waitForApproval(store, 'r2')
    await runTurn(store, key, 'r3', [user('r3'), answer('3')], { state: 'of r3' })
    await wake(store, 'r2')
    // While the run continues, its messages are hidden.
    expect((await load(store, key)).messages).toEqual([user('r1'), answer('1'), user('r3'), answer('3')])
    expect(await load(store, key)).toMatchObject({ state: 'of r3' })
    await store.append('r2', [result('b'), answer('2')])
    await store.end('r2', 'done')
    const own = [user('r2'), calls('a', 'b'), result('a'), result('b'), answer('2')]
    expect((await load(store, key)).messages).toEqual([user('r1'), answer('1'), ...own, user('r3'), answer('3')])
    const turns = await store.turns(key)
    expect(turns.map(({ runId, status }) => `${runId} ${status}`)).toEqual(['r1 done', 'r2 done', 'r3 done'])
    expect(await store.list(key)).toMatchObject([{ turns: 3 }])
  })

  it('lets no other run begin while a resumed one is running, although it is not the last', async () => {
    const store = getStore()
    await waitForApproval(store, 'r1')
    await runTurn(store, key, 'r2', [user('r2'), answer('2')])
    await wake(store, 'r1')
    const { version } = await load(store, key)
    await expect(begin(store, key, 'r3', version)).rejects.toMatchObject(conflict)
    await store.end('r1', 'done')
    await begin(store, key, 'r3', version + 1)
  })

  it('lets other runs begin while one is suspended', async () => {
    const store = getStore()
    await waitForApproval(store, 'r1')
    await runTurn(store, key, 'r2', [user('r2'), answer('2')])
    await waitForApproval(store, 'r3')
    await wake(store, 'r1')
    await store.end('r1', 'failed')
    await wake(store, 'r3')
  })

  it('keeps the usage of the last end, and the previous one when an end has none', async () => {
    const store = getStore()
    await waitForApproval(store, 'r1')
    await wake(store, 'r1')
    await store.end('r1', 'waiting')
    expect(await store.find('r1')).toMatchObject({ usage: { totalTokens: 5 } })
    await wake(store, 'r1')
    await store.end('r1', 'done', { totalTokens: 9 })
    expect((await store.find('r1'))?.usage).toEqual({ totalTokens: 9 })
  })

  const refusals: [string, (store: SessionStore, version: number) => Promise<void>][] = [
    ['with input', (store, expectedVersion) => store.begin(key, { runId: 'r1', expectedVersion, input: [user('x')] })],
    ['at a version that has moved', (store, expectedVersion) => wakeAt(store, key, expectedVersion - 1)],
    ['in a session that is new', (store) => wakeAt(store, { ...key, sessionId: 's2' }, 0)],
    [
      'in another session',
      async (store) => {
        const other = { ...key, sessionId: 's2' }
        await runTurn(store, other, 'r2', [user('r2'), answer('2')])
        await wakeAt(store, other, 2)
      },
    ],
    [
      'while another run holds the session',
      async (store, version) => {
        await begin(store, key, 'r2', version)
        await wakeAt(store, key, version + 1)
      },
    ],
  ]
  it.each(refusals)('refuses to resume a suspended run %s', async (_, attempt) => {
    const store = getStore()
    await waitForApproval(store, 'r1')
    await expect(attempt(store, 2)).rejects.toMatchObject(conflict)
    expect(await store.find('r1')).toMatchObject({ status: 'waiting', messages: { length: 3 } })
  })

  it.each(['running', 'done', 'failed'] as const)('refuses to resume a run that is %s', async (status) => {
    const store = getStore()
    await waitForApproval(store, 'r1')
    await wake(store, 'r1')
    if (status !== 'running') await store.end('r1', status)
    await expect(wake(store, 'r1')).rejects.toMatchObject(conflict)
    expect((await store.find('r1'))?.status).toBe(status)
  })

  it('lets exactly one of 20 callers resume a suspended run', async () => {
    const store = getStore()
    await waitForApproval(store, 'r1')
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => wakeAt(store, key, 2)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(conflict)
    expect(await store.turns(key)).toHaveLength(1)
    await store.append('r1', [result('b')])
    await store.end('r1', 'done')
  })

  it('deletes a suspended run with its session', async () => {
    const store = getStore()
    await waitForApproval(store, 'r1')
    await store.delete(key)
    expect(await store.find('r1')).toBeUndefined()
    await expect(wakeAt(store, key, 2)).rejects.toMatchObject(conflict)
  })
}

/** The same across restarts of the process. */
export function durableWaitingTests(getStore: GetStore, reopen: () => Promise<void>): void {
  it('keeps a suspended run when the store is reopened, and resumes it', async () => {
    await waitForApproval(getStore(), 'r1')
    const waiting = await getStore().find('r1')
    await reopen()
    expect(await getStore().find('r1')).toEqual(waiting)
    await wake(getStore(), 'r1')
    await getStore().append('r1', [result('b')])
    await getStore().end('r1', 'done')
    expect((await load(getStore(), key)).messages).toEqual([user('r1'), calls('a', 'b'), result('a'), result('b')])
  })

  it('settles an abandoned resumed run as failed', async () => {
    await waitForApproval(getStore(), 'r1')
    await runTurn(getStore(), key, 'r2', [user('r2'), answer('2')])
    await wake(getStore(), 'r1')
    await getStore().append('r1', [result('b')])
    await reopen()
    const store = getStore()
    const { messages } = await load(store, key)
    const seen = [user('r1'), calls('a', 'b'), result('a'), result('b'), answer('[stopped: interrupted]')]
    expect(messages).toEqual([...seen, user('r2'), answer('2')])
    expect(await store.find('r1')).toMatchObject({ status: 'failed', usage: { totalTokens: 5 } })
    await expect(wake(store, 'r1')).rejects.toMatchObject(conflict)
    await runTurn(store, key, 'r3', [user('r3'), answer('3')])
  })
}

/** A run that has finished one of its calls, and is suspended for the other. */
async function waitForApproval(store: SessionStore, runId: string): Promise<void> {
  const expectedVersion = (await store.load(key))?.version ?? 0
  await begin(store, key, runId, expectedVersion)
  await store.append(runId, [calls('a', 'b')])
  await store.append(runId, [result('a')], { asks: 'b' })
  await store.end(runId, 'waiting', { totalTokens: 5 })
}

async function wake(store: SessionStore, runId: string): Promise<void> {
  await wakeAt(store, key, (await load(store, key)).version, runId)
}

function wakeAt(store: SessionStore, session: SessionKey, expectedVersion: number, runId = 'r1'): Promise<void> {
  return store.begin(session, { runId, expectedVersion, input: [] })
}
