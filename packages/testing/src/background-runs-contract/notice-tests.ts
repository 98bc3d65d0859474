import { expect, it } from 'vitest'
import { approval, done, newRun, versionOf } from '../run-store-contract/runs.ts'
import { key } from '../session-store-contract/turns.ts'
import { alone, enqueue, finish, type GetBackground, queued, takeOver, takeOverAlone } from './background.ts'

const page = { limit: 10, leaseMs: 60_000 }

/** Notices of runs that have ended or wait. */
export function noticeTests(getStores: GetBackground): void {
  it('keeps a notice of each wait and end of a run that wants them, as it was then', async () => {
    const stores = getStores()
    const { runs, background } = stores
    await enqueue(stores, queued('r1', { notifies: true }), alone('silent'))
    await takeOverAlone(stores, 'silent')
    await finish(runs, 'silent')
    await takeOver(stores, 'r1')
    expect(await background.takeNotices(['helper'], page)).toEqual([])
    await runs.suspend('r1', { attempt: 1, approvals: [approval('a1')] })
    await runs.decide('r1', { a1: true })
    await takeOver(stores, 'r1')
    await runs.end('r1', { attempt: 2, ...done, text: 'Done é.' })
    expect(await background.takeNotices(['other'], page)).toEqual([])
    const notices = await background.takeNotices(['other', 'helper'], page)
    expect(notices).toMatchObject([
      { tries: 1, record: { runId: 'r1', status: 'waiting', approvals: [{ approvalId: 'a1' }] } },
      { tries: 1, record: { runId: 'r1', status: 'done', text: 'Done é.', userId: 'ann', sessionId: 's1' } },
    ])
    expect(notices[0]?.record).not.toHaveProperty('text')
    expect(new Set(notices.map(({ noticeId }) => noticeId)).size).toBe(2)
    expect(Math.abs((notices[0]?.createdAt ?? 0) - runs.now())).toBeLessThan(60_000)
  })

  it('keeps a notice as it was, though its run has ended again and is replaced since', async () => {
    const stores = getStores()
    const { store, runs, background } = stores
    await enqueue(stores, queued('r1', { notifies: true }))
    await takeOver(stores, 'r1')
    await runs.end('r1', { attempt: 1, status: 'failed', finishReason: 'error' })
    await background.retry('r1')
    await takeOver(stores, 'r1')
    const place = { start: 0, end: 4, quote: 'Done', chunkId: 'c1' }
    const sources = [{ file: 'a.txt', ...place, score: { fused: 1 } }]
    await runs.end('r1', { attempt: 2, ...done, text: 'Done é.', sources })
    await runs.create(key, newRun('r2', { expectedVersion: await versionOf(store), replaces: 'r1' }))
    const notices = await background.takeNotices(['helper'], page)
    const kept = notices.map(({ record }) => [record.status, record.text, record.sources, record.replaced])
    expect(kept).toEqual([
      ['failed', undefined, [], undefined],
      ['done', 'Done é.', sources, undefined],
    ])
  })

  it('keeps notices of cancelled and replaced runs, and of direct ones that want them', async () => {
    const stores = getStores()
    const { runs, background } = stores
    await enqueue(stores, queued('r1', { notifies: true }), queued('r2', { notifies: true }))
    await runs.cancel('r1', { status: 'failed', finishReason: 'aborted' })
    await enqueue(stores, queued('r3', { replaces: 'r2' }))
    await runs.create({ ...key, sessionId: 's2' }, newRun('r4', { notifies: true }))
    await runs.end('r4', { attempt: 1, ...done })
    const notices = await background.takeNotices(['helper'], page)
    expect(notices.map(({ record }) => [record.runId, record.status])).toEqual([
      ['r1', 'failed'],
      ['r2', 'failed'],
      ['r4', 'done'],
    ])
  })

  it('keeps a session until the notices of its runs are delivered', async () => {
    const stores = getStores()
    const { runs, background } = stores
    for (const id of ['1', '2', '3']) {
      await runs.create({ ...key, sessionId: `s${id}` }, newRun(`r${id}`, { notifies: id !== '2' }))
      await runs.end(`r${id}`, { attempt: 1, ...done })
    }
    expect(await runs.prune({ sessionsPerUser: 1 })).toMatchObject({ sessions: 1 })
    expect(await stores.store.load({ ...key, sessionId: 's2' })).toBeUndefined()
    const [notice] = await background.takeNotices(['helper'], page)
    expect(notice?.record.runId).toBe('r1')
    expect(await runs.prune({ sessionsPerUser: 1 })).toMatchObject({ sessions: 0 })
    await background.settleNotice(notice?.noticeId ?? '', 'delivered')
    expect(await runs.prune({ sessionsPerUser: 1 })).toMatchObject({ sessions: 1 })
  })

  it('keeps notices of a run whose worker wants them, though its entry does not', async () => {
    const stores = getStores()
    const { runs, background } = stores
    await enqueue(stores, alone('r1'), alone('r2'), queued('r3'), queued('r4'))
    const first = { messages: [], notifies: true }
    await runs.takeOver('r1', { expectedVersion: 0, begin: first })
    // A run that has waited for its session begins by another statement.
    await takeOver(stores, 'r3')
    await finish(runs, 'r3')
    const expectedVersion = (await stores.store.load(key))?.version ?? 0
    await runs.takeOver('r4', { expectedVersion, begin: first })
    await takeOverAlone(stores, 'r2')
    for (const runId of ['r1', 'r2', 'r4']) await finish(runs, runId)
    const notices = await background.takeNotices(['helper'], page)
    expect(notices.map(({ record }) => record.runId).sort()).toEqual(['r1', 'r4'])
  })

  it('keeps none for runs that are free at once, and for members', async () => {
    const stores = getStores()
    const { runs, background } = stores
    await enqueue(stores, queued('r1', { notifies: true }))
    await takeOver(stores, 'r1')
    await background.delegate('r1', { attempt: 1, members: [{ runId: 'm', key: alone('m').key, options: {} }] })
    await takeOverAlone(stores, 'm')
    await finish(runs, 'm')
    await takeOver(stores, 'r1')
    await runs.suspend('r1', { attempt: 2, approvals: [] })
    expect(await background.takeNotices(['helper'], page)).toEqual([])
  })

  it('gives a notice to one of several callers, and again when it was not settled in time', async () => {
    const stores = getStores()
    const { runs, background, moveTime } = stores
    await enqueue(stores, alone('r1', { notifies: true }))
    await runs.cancel('r1', { status: 'failed', finishReason: 'aborted' })
    const others = await Promise.all([stores.open(), stores.open()])
    const taken = await Promise.all(others.map((other) => other.runs.background?.takeNotices(['helper'], page)))
    expect(taken.flat()).toHaveLength(1)
    expect(await background.takeNotices(['helper'], page)).toEqual([])
    await moveTime(61_000)
    const [again] = await background.takeNotices(['helper'], page)
    expect(again).toMatchObject({ noticeId: taken.flat()[0]?.noticeId, tries: 2 })
    expect(await background.undelivered('r1')).toMatchObject([{ noticeId: again?.noticeId, tries: 2 }])
    await background.settleNotice(again?.noticeId ?? '', 'delivered')
    await moveTime(61_000)
    expect(await background.takeNotices(['helper'], page)).toEqual([])
    expect(await background.undelivered('r1')).toEqual([])
  })

  it('tries a notice again later, and keeps one that is given up with its run', async () => {
    const stores = getStores()
    const { store, runs, background, moveTime } = stores
    await enqueue(stores, queued('r1', { notifies: true }))
    await runs.cancel('r1', { status: 'failed', finishReason: 'aborted' })
    const [first] = await background.takeNotices(['helper'], page)
    const noticeId = first?.noticeId ?? ''
    await background.settleNotice(noticeId, { retryAt: runs.now() + 3_600_000 })
    await moveTime(120_000)
    expect(await background.takeNotices(['helper'], page)).toEqual([])
    await moveTime(3_600_000)
    expect(await background.takeNotices(['helper'], page)).toMatchObject([{ noticeId, tries: 2 }])
    await background.settleNotice(noticeId, { failed: 'It answered 500.' })
    await background.settleNotice('unknown', 'delivered')
    await moveTime(3_600_000)
    expect(await background.takeNotices(['helper'], page)).toEqual([])
    expect(await background.undelivered('r1')).toEqual([
      { noticeId, tries: 2, createdAt: first?.createdAt, failed: 'It answered 500.' },
    ])
    await store.delete(key)
    expect(await background.undelivered('r1')).toEqual([])
  })

  it('returns notices of these agents alone, and no more than the limit', async () => {
    const stores = getStores()
    const { runs, background } = stores
    for (const runId of ['r1', 'r2', 'r3']) {
      await enqueue(stores, alone(runId, { notifies: true }))
      await runs.cancel(runId, { status: 'failed', finishReason: 'aborted' })
    }
    const ofOther = { agentId: 'other', key: { ...alone('o').key, agentId: 'other:run' } }
    await enqueue(stores, alone('o', { ...ofOther, notifies: true }))
    await runs.cancel('o', { status: 'failed', finishReason: 'aborted' })
    expect(await background.takeNotices(['other'], page)).toMatchObject([{ record: { runId: 'o' } }])
    expect(await background.takeNotices(['helper'], { ...page, limit: 2 })).toHaveLength(2)
    expect(await background.takeNotices(['helper'], { ...page, limit: 2 })).toHaveLength(1)
  })
}
