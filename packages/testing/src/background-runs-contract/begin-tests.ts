import { expect, it } from 'vitest'
import { afterCrash, approval, conflict, newRun, versionOf } from '../run-store-contract/runs.ts'
import { answer, key, user } from '../session-store-contract/turns.ts'
import {
  alone,
  enqueue,
  finish,
  type GetBackground,
  queued,
  statusOf,
  takeOver,
  takeOverAlone,
  textsOf,
  tooEarly,
} from './background.ts'

/** Tests when queued runs begin, and the data that is stored then. */
export function beginTests(getStores: GetBackground): void {
  it('begins a queued run with its first messages', async () => {
    const stores = getStores()
    const { store, runs } = stores
    await enqueue(stores, queued('r1'))
    const stored = await takeOver(stores, 'r1')
    expect(stored).toMatchObject({
      attempt: 1,
      takeovers: 0,
      deadline: 5,
      isBackground: true,
      options: { input: 'r1' },
    })
    expect(stored.record).toMatchObject({ status: 'running', attempts: 1 })
    expect(stored.record.startedAt).toBeDefined()
    expect(stored.isFree).toBeFalsy()
    expect(await store.turns(key)).toMatchObject([{ runId: 'r1', status: 'running', messages: [user('r1')] }])
    expect(await versionOf(store)).toBe(1)
    await expect(takeOver(stores, 'r1')).rejects.toMatchObject(conflict)
    await runs.append('r1', { attempt: 1, position: 1, messages: [answer('1')] })
    await finish(runs, 'r1')
    expect(await textsOf(stores)).toEqual(['r1', answer('1').content])
    expect(await versionOf(store)).toBe(2)
  })

  it('keeps the order of lists when queued runs begin, so that pages skip and repeat none', async () => {
    const stores = getStores()
    const { runs, background } = stores
    const other = { ...key, sessionId: 'other' }
    const owner = { agentId: key.agentId, userId: key.userId }
    await enqueue(stores, queued('r1'), queued('r2'), queued('r3', { key: other }), alone('r4'))
    await runs.create(key, newRun('r5', { expectedVersion: await versionOf(stores.store) }))
    await finish(runs, 'r5')
    const idsOf = async (...[of, filter]: Parameters<typeof runs.list>): Promise<string[]> =>
      (await runs.list(of, filter)).map(({ runId }) => runId)
    const [first, ofSession] = [{ limit: 2 }, { limit: 1, sessionId: key.sessionId }]
    expect([await idsOf(owner, first), await idsOf(owner, ofSession)]).toEqual([['r5', 'r4'], ['r5']])
    // A run after the first page begins, and then the last run of the page.
    await takeOver(stores, 'r1')
    await runs.cancel('r1', { status: 'failed', finishReason: 'aborted' })
    await takeOverAlone(stores, 'r4')
    await takeOver(stores, 'r3', other)
    const after = { limit: 10, after: 'r4' }
    expect(await idsOf(owner, after)).toEqual(['r3', 'r2', 'r1'])
    expect(await idsOf({ agentId: key.agentId }, after)).toEqual(['r3', 'r2', 'r1'])
    expect(await idsOf(owner, { ...after, after: 'r5', sessionId: key.sessionId })).toEqual(['r2', 'r1'])
    expect(await idsOf({ agentId: key.agentId }, { limit: 10, status: 'running' })).toEqual(['r4', 'r3'])
    // A run that is retried keeps its place too.
    await runs.cancel('r2', { status: 'failed', finishReason: 'aborted' })
    await background.retry('r1')
    await takeOver(stores, 'r1')
    expect(await idsOf(owner, { limit: 10 })).toEqual(['r5', 'r4', 'r3', 'r2', 'r1'])
  })

  it('begins a run again that died before it had messages, with other options', async () => {
    const stores = getStores()
    await enqueue(stores, queued('r1'))
    await stores.runs.takeOver('r1', { expectedVersion: 0, begin: { messages: [], deadline: 5 } })
    const other = await afterCrash(stores)
    const begin = { messages: [user('1')], deadline: 7, options: { input: 'new' } }
    const again = await other.runs.takeOver('r1', { expectedVersion: 0, begin })
    expect(again).toMatchObject({ attempt: 2, takeovers: 1, deadline: 7, options: { input: 'new' } })
    expect((await other.store.find('r1'))?.messages).toEqual([user('1')])
    const third = await afterCrash({ ...other, open: stores.open })
    await third.runs.takeOver('r1', { expectedVersion: 0, begin: { messages: [user('twice')] } })
    expect((await third.store.find('r1'))?.messages).toEqual([user('1')])
  })

  it('lets a direct run that waits go before queued ones, until its time is over', async () => {
    const stores = getStores()
    const { runs, store, background } = stores
    const { holdQueued } = background
    if (!holdQueued) return
    await enqueue(stores, queued('r1'), queued('other', { key: { ...key, sessionId: 'other' } }))
    await holdQueued(key, 60_000)
    await expect(takeOver(stores, 'r1')).rejects.toMatchObject(tooEarly)
    await runs.takeOver('other', { expectedVersion: 0 })
    await runs.create(key, newRun('direct', { expectedVersion: await versionOf(store) }))
    await finish(runs, 'direct')
    await expect(takeOver(stores, 'r1')).rejects.toMatchObject(tooEarly)
    await holdQueued(key, 20)
    await expect.poll(() => takeOver(stores, 'r1')).toMatchObject({ attempt: 1 })
  })

  it('begins the runs of a session one after the other, in the order of their acceptance', async () => {
    const stores = getStores()
    const { runs } = stores
    await enqueue(stores, queued('r1', { priority: -1 }), queued('r2', { priority: 5 }), queued('r3'))
    for (const early of ['r2', 'r3']) await expect(takeOver(stores, early)).rejects.toMatchObject(tooEarly)
    await takeOver(stores, 'r1')
    await expect(takeOver(stores, 'r2')).rejects.toMatchObject(tooEarly)
    await runs.release('r1', 1)
    await expect(takeOver(stores, 'r2')).rejects.toMatchObject(tooEarly)
    await takeOver(stores, 'r1')
    await runs.end('r1', { attempt: 2, status: 'failed', finishReason: 'error' })
    await expect(takeOver(stores, 'r3')).rejects.toMatchObject(tooEarly)
    await runs.cancel('r2', { status: 'failed', finishReason: 'aborted' })
    await takeOver(stores, 'r3')
    await finish(runs, 'r3')
  })

  it('counts the order of a run that is due later from then', async () => {
    const stores = getStores()
    const { runs } = stores
    const now = runs.now()
    await enqueue(stores, queued('later', { dueAt: now + 60_000 }), queued('r1'))
    await stores.moveTime(120_000)
    await enqueue(stores, queued('r2', { dueAt: now }))
    for (const early of ['later', 'r2']) await expect(takeOver(stores, early)).rejects.toMatchObject(tooEarly)
    for (const runId of ['r1', 'later', 'r2']) {
      await takeOver(stores, runId)
      await finish(runs, runId)
    }
  })

  it('lets runs of other sessions, and those without one, begin beside each other', async () => {
    const stores = getStores()
    const s2 = { ...key, sessionId: 's2' }
    await enqueue(stores, queued('r1'), queued('r2', { key: s2 }), alone('r3'), alone('r4'))
    await takeOverAlone(stores, 'r4')
    await takeOverAlone(stores, 'r3')
    await takeOver(stores, 'r2', s2)
    await takeOver(stores, 'r1')
  })

  it('is not blocked by a run that waits, but by one that was decided', async () => {
    const stores = getStores()
    const { runs } = stores
    await enqueue(stores, queued('r1'), queued('r2'), queued('r3'))
    await takeOver(stores, 'r1')
    await runs.suspend('r1', { attempt: 1, approvals: [approval('a1')] })
    await takeOver(stores, 'r2')
    await runs.decide('r1', { a1: true })
    await finish(runs, 'r2')
    await expect(takeOver(stores, 'r3')).rejects.toMatchObject(tooEarly)
    expect(await takeOver(stores, 'r1')).toMatchObject({ attempt: 2 })
    await finish(runs, 'r1', 2)
    await takeOver(stores, 'r3')
  })

  it('takes its place in the conversation when it begins', async () => {
    const stores = getStores()
    const { store, runs } = stores
    await enqueue(stores, queued('r1'), queued('r2'))
    // A direct run does not wait for queued ones, but for a running one.
    await runs.create(key, newRun('direct'))
    await expect(takeOver(stores, 'r1')).rejects.toMatchObject(tooEarly)
    await runs.end('direct', { attempt: 1, status: 'done', finishReason: 'stop', messages: [answer('d')] })
    await takeOver(stores, 'r1')
    const expectedVersion = await versionOf(store)
    await expect(runs.create(key, newRun('r9', { expectedVersion }))).rejects.toMatchObject(tooEarly)
    await finish(runs, 'r1')
    expect((await store.turns(key)).map(({ runId }) => runId)).toEqual(['direct', 'r1'])
    expect(await store.turns(key, { after: 'direct' })).toMatchObject([{ runId: 'r1' }])
    await takeOver(stores, 'r2')
    expect(await textsOf(stores)).toEqual(['direct', answer('d').content, 'r1'])
  })

  it('checks the version of the session when a run begins', async () => {
    const stores = getStores()
    const { runs } = stores
    await runs.create(key, newRun('r1'))
    await runs.end('r1', { attempt: 1, status: 'done', finishReason: 'stop' })
    await enqueue(stores, queued('r2'))
    const begin = { messages: [user('2')] }
    await expect(runs.takeOver('r2', { expectedVersion: 0, begin })).rejects.toMatchObject(tooEarly)
    expect(await statusOf(runs, 'r2')).toBe('queued')
    await runs.takeOver('r2', { expectedVersion: 2, begin })
  })

  it('settles a lost direct run that nothing continues, and then begins', async () => {
    const stores = getStores()
    await stores.runs.create(key, newRun('lost', { isResumable: false }))
    await enqueue(stores, queued('r1'))
    const other = await afterCrash(stores)
    const begin = { messages: [user('1')] }
    await expect(other.runs.takeOver('r1', { expectedVersion: 1, begin })).rejects.toMatchObject(tooEarly)
    expect(await statusOf(other.runs, 'lost')).toBe('failed')
    await other.runs.takeOver('r1', { expectedVersion: 2, begin })
  })

  it('begins a run once, whatever number of workers try', async () => {
    const stores = getStores()
    await enqueue(stores, queued('r1'))
    const others = await Promise.all([stores.open(), stores.open(), stores.open()])
    const outcomes = await Promise.allSettled(others.map((other) => takeOver(other, 'r1')))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(conflict)
    expect(await stores.runs.read('r1')).toMatchObject({ attempt: 1 })
  })
}
