import { expect, it } from 'vitest'
import { newRun, versionOf } from '../run-store-contract/runs.ts'
import { answer, begin, key, runTurn, user } from '../session-store-contract/turns.ts'
import {
  alone,
  bounds,
  enqueue,
  finish,
  type GetBackground,
  queued,
  statusOf,
  takeOver,
  textsOf,
} from './background.ts'

/** How runs are queued. */
export function enqueueTests(getStores: GetBackground): void {
  it('stores queued runs, which lists show and conversations do not', async () => {
    const { store, runs, background } = getStores()
    const entry = queued('r1', { priority: 3, agentVersion: 'v1', options: { input: 'é', seeded: 0 } })
    expect(await enqueue({ background }, entry, alone('r2'))).toEqual([
      { runId: 'r1', isNew: true },
      { runId: 'r2', isNew: true },
    ])
    const stored = await runs.read('r1')
    expect(stored).toMatchObject({
      ...{ key, attempt: 0, isBackground: true, isResumable: true, keepsEvents: true, priority: 3, lastSeq: 0 },
      ...{ options: { input: 'é', seeded: 0 }, calls: [], approvals: [], takeovers: 0 },
    })
    expect(stored?.record).toMatchObject({
      ...{ runId: 'r1', agentId: 'helper', userId: 'ann', sessionId: 's1', status: 'queued' },
      ...{ attempts: 0, agentVersion: 'v1', approvals: [], sources: [] },
    })
    expect(stored?.record.startedAt).toBeUndefined()
    expect((await runs.read('r2'))?.record.sessionId).toBeUndefined()
    expect((await store.load(key))?.messages ?? []).toEqual([])
    expect(await store.turns(key)).toEqual([])
    expect(await store.find('r1')).toBeUndefined()
    expect(await store.list(key)).toMatchObject([{ sessionId: 's1', title: 'r1', turns: 0 }])
    const listed = await runs.list({ agentId: 'helper', userId: 'ann' }, { status: 'queued', limit: 10 })
    expect(listed.map(({ runId }) => runId)).toEqual(['r2', 'r1'])
    expect(await runs.list({ agentId: 'helper' }, { sessionId: 's1', limit: 10 })).toMatchObject([{ runId: 'r1' }])
    expect(await runs.orphans(['helper'])).toEqual([])
  })

  it('shows no place in the conversation of a run that is queued between others', async () => {
    const { store, background } = getStores()
    await runTurn(store, key, 'r1', [user('1'), answer('one')])
    await enqueue({ background }, queued('r2'))
    await runTurn(store, key, 'r3', [user('3'), answer('three')])
    expect((await store.turns(key)).map(({ runId }) => runId)).toEqual(['r1', 'r3'])
    expect(await store.turns(key, { after: 'r1' })).toMatchObject([{ runId: 'r3' }])
    expect(await store.list(key)).toMatchObject([{ title: '1', turns: 2 }])
    expect(await textsOf({ store })).toHaveLength(4)
  })

  it('stores all entries or none', async () => {
    const { store, runs, background } = getStores()
    await begin(store, key, 'r1', 0)
    const busy = queued('r3', { onBusy: 'reject' })
    await expect(enqueue({ background }, alone('r2'), busy)).rejects.toMatchObject({ code: 'session-busy' })
    expect(await runs.read('r2')).toBeUndefined()
    await expect(enqueue({ background }, alone('r4'), queued('r1'))).rejects.toMatchObject({ code: 'session-conflict' })
    expect(await runs.read('r4')).toBeUndefined()
    expect(await runs.list({ agentId: 'helper' }, { status: 'queued', limit: 10 })).toEqual([])
  })

  it('returns the run of a key that was used for the same input, and refuses another input', async () => {
    const { runs, background } = getStores()
    const idempotency = { key: 'k', fingerprint: 'f' }
    await enqueue({ background }, queued('r1', { idempotency }))
    const again = [alone('r2'), queued('r3', { idempotency, onBusy: 'reject' })]
    expect(await enqueue({ background }, ...again)).toEqual([
      { runId: 'r2', isNew: true },
      { runId: 'r1', isNew: false },
    ])
    const other = queued('r4', { idempotency: { key: 'k', fingerprint: 'g' } })
    await expect(enqueue({ background }, other)).rejects.toMatchObject({ code: 'invalid-argument' })
    const ofOthers = [
      queued('r5', { idempotency, key: { ...key, userId: 'bob' } }),
      queued('r6', { idempotency, agentId: 'other', key: { ...key, agentId: 'other' } }),
    ]
    expect(await enqueue({ background }, ...ofOthers)).toMatchObject([{ isNew: true }, { isNew: true }])
    const twice = { key: 'new', fingerprint: 'f' }
    const both = [alone('r7', { idempotency: twice }), alone('r8', { idempotency: twice })]
    expect(await enqueue({ background }, ...both)).toEqual([
      { runId: 'r7', isNew: true },
      { runId: 'r7', isNew: false },
    ])
    expect(await runs.read('r8')).toBeUndefined()
  })

  it('gives a key to one of several callers at once', async () => {
    const { open } = getStores()
    const stores = await Promise.all([open(), open(), open()])
    const idempotency = { key: 'k', fingerprint: 'f' }
    const results = await Promise.all(
      stores.map(({ runs }, index) => runs.background?.enqueue([alone(`r${index}`, { idempotency })], bounds)),
    )
    const all = results.map((result) => result?.[0])
    expect(all.filter((one) => one?.isNew)).toHaveLength(1)
    expect(new Set(all.map((one) => one?.runId)).size).toBe(1)
  })

  it('refuses runs beyond its bounds, in all and of one user', async () => {
    const { background } = getStores()
    const bob = { ...key, userId: 'bob' }
    const overloaded = { code: 'overloaded', retryable: true }
    const bounded = { queued: 3, userQueued: 2 }
    await background.enqueue([alone('r1'), alone('r2')], bounded)
    await expect(background.enqueue([alone('r3')], bounded)).rejects.toMatchObject(overloaded)
    await expect(
      background.enqueue([alone('r4', { key: bob }), alone('r5', { key: bob })], bounded),
    ).rejects.toMatchObject(overloaded)
    expect(await background.enqueue([alone('r4', { key: bob })], bounded)).toMatchObject([{ isNew: true }])
    await expect(background.enqueue([alone('r5', { key: bob })], bounded)).rejects.toMatchObject(overloaded)
    const known = { key: 'k', fingerprint: 'f' }
    await background.enqueue([alone('r6', { idempotency: known })], { queued: 9, userQueued: 9 })
    // A run that is there already takes no place.
    expect(await background.enqueue([alone('r7', { idempotency: known })], bounded)).toMatchObject([{ isNew: false }])
  })

  it('refuses a session that is busy: with a queued run, a running or a decided one; not with one that waits', async () => {
    const stores = getStores()
    const { runs } = stores
    const reject = (runId: string) => enqueue(stores, queued(runId, { onBusy: 'reject' }))
    const busy = { code: 'session-busy', retryable: true }
    await reject('r1')
    await expect(reject('r2')).rejects.toMatchObject(busy)
    await takeOver(stores, 'r1')
    await expect(reject('r2')).rejects.toMatchObject(busy)
    const approval = { approvalId: 'a1', callId: 'c1', name: 'pay', input: {}, kind: 'approval' } as const
    await runs.suspend('r1', { attempt: 1, approvals: [approval] })
    await reject('r2')
    await runs.cancel('r2', { status: 'failed', finishReason: 'aborted' })
    await runs.decide('r1', { a1: true })
    await expect(reject('r3')).rejects.toMatchObject(busy)
    expect(await runs.read('r3')).toBeUndefined()
  })

  it('ends the queued and running runs of a session that a new one interrupts', async () => {
    const stores = getStores()
    const { store, runs } = stores
    await runs.create(key, newRun('r1'))
    await enqueue(stores, queued('r2'), alone('other'))
    await enqueue(stores, queued('r3', { onBusy: 'interrupt' }))
    for (const runId of ['r1', 'r2']) {
      expect((await runs.read(runId))?.record).toMatchObject({
        ...{ status: 'failed', finishReason: 'aborted', error: { code: 'aborted' } },
      })
    }
    expect(await statusOf(runs, 'other')).toBe('queued')
    await expect(runs.append('r1', { attempt: 1, messages: [answer('late')] })).rejects.toMatchObject({
      code: 'session-conflict',
    })
    await takeOver(stores, 'r3')
    await finish(runs, 'r3')
    expect((await store.turns(key)).map(({ runId }) => runId)).toEqual(['r1', 'r3'])
  })

  it('hides the turns that a queued run replaces at once', async () => {
    const stores = getStores()
    const { store, runs } = stores
    await runTurn(store, key, 'r1', [user('1'), answer('one')])
    await runTurn(store, key, 'r2', [user('2'), answer('two')])
    await enqueue(stores, queued('r3'))
    await expect(enqueue(stores, queued('r4', { replaces: 'unknown' }))).rejects.toMatchObject({ code: 'not-found' })
    const before = await versionOf(store)
    await enqueue(stores, queued('r4', { replaces: 'r2' }))
    // A run that was to begin with the earlier history may not.
    expect(await versionOf(store)).toBeGreaterThan(before)
    expect(await textsOf(stores)).toEqual(['1', answer('one').content])
    expect((await runs.read('r3'))?.record).toMatchObject({ status: 'failed', finishReason: 'aborted', replaced: true })
    await takeOver(stores, 'r4')
    await runs.end('r4', { attempt: 1, messages: [answer('four')], status: 'done', finishReason: 'stop' })
    expect(await textsOf(stores)).toEqual(['1', answer('one').content, 'r4', answer('four').content])
    expect((await runs.read('r4'))?.record.replaced).toBeUndefined()
  })

  it('deletes queued runs with their session', async () => {
    const stores = getStores()
    await enqueue(stores, queued('r1'), alone('r2'))
    await stores.store.delete(key)
    expect(await stores.runs.read('r1')).toBeUndefined()
    expect(await statusOf(stores.runs, 'r2')).toBe('queued')
  })

  it('stores thousands of runs at once', async () => {
    const { background, runs } = getStores()
    const entries = Array.from({ length: 1_000 }, (_, index) => alone(`r${index}`))
    expect(await background.enqueue(entries, bounds)).toHaveLength(1_000)
    expect(await statusOf(runs, 'r999')).toBe('queued')
    await expect(background.enqueue([alone('more')], bounds)).rejects.toMatchObject({ code: 'overloaded' })
  })
}
