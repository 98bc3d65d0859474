import { expect, it } from 'vitest'
import { conflict, done, event, newRun } from '../run-store-contract/runs.ts'
import { answer, calls, key, result, user } from '../session-store-contract/turns.ts'
import { enqueue, finish, type GetBackground, queued, statusOf, takeOver, textsOf, tooEarly } from './background.ts'

const aborted = { status: 'failed', finishReason: 'aborted' } as const

/** Cancelling and retrying. */
export function endTests(getStores: GetBackground): void {
  it('cancels a queued run, which then never begins and has no turn', async () => {
    const stores = getStores()
    const { store, runs } = stores
    await enqueue(stores, queued('r1'), queued('r2'))
    expect(await runs.cancel('r1', aborted)).toBe(true)
    expect(await runs.cancel('r1', aborted)).toBe(false)
    expect((await runs.read('r1'))?.record).toMatchObject({ status: 'failed', finishReason: 'aborted', attempts: 0 })
    await expect(takeOver(stores, 'r1')).rejects.toMatchObject({ ...conflict, retryable: false })
    await takeOver(stores, 'r2')
    await finish(runs, 'r2')
    expect((await store.turns(key)).map(({ runId }) => runId)).toEqual(['r2'])
  })

  it('retries a failed run: it keeps what it has, its place and its attempts', async () => {
    const stores = getStores()
    const { store, runs, background } = stores
    await enqueue(stores, queued('r1'))
    await takeOver(stores, 'r1')
    await runs.append('r1', { attempt: 1, position: 1, messages: [calls('a'), result('a')], progress: { step: 1 } })
    const error = { code: 'provider-error', message: 'It failed.', retryable: false } as const
    await runs.end('r1', { attempt: 1, status: 'failed', finishReason: 'error', error })
    await runs.create(key, newRun('r2', { expectedVersion: 2 }))
    await background.retry('r1')
    const again = await runs.read('r1')
    expect(again).toMatchObject({ attempt: 1, takeovers: 0, progress: { step: 1 }, isBackground: true })
    expect(again?.record).toMatchObject({ status: 'queued', attempts: 1 })
    expect(again?.record).not.toHaveProperty('error')
    expect(again?.record).not.toHaveProperty('endedAt')
    expect(again?.record).not.toHaveProperty('finishReason')
    await expect(takeOver(stores, 'r1')).rejects.toMatchObject(tooEarly)
    await finish(runs, 'r2')
    const version = (await store.load(key))?.version ?? 0
    const begin = { messages: [], deadline: 9 }
    expect(await runs.takeOver('r1', { expectedVersion: version, begin })).toMatchObject({ attempt: 2, deadline: 9 })
    await runs.end('r1', { attempt: 2, position: 3, messages: [answer('1')], ...done })
    expect((await store.turns(key)).map(({ runId }) => runId)).toEqual(['r1', 'r2'])
    expect((await store.find('r1'))?.messages).toEqual([user('r1'), calls('a'), result('a'), answer('1')])
    expect(await textsOf(stores)).toHaveLength(5)
  })

  it('retries a run that never began, which then begins', async () => {
    const stores = getStores()
    const { store, runs, background } = stores
    await enqueue(stores, queued('r1'))
    await runs.cancel('r1', { ...aborted, events: [event('r1', 1)] })
    await runs.create(key, newRun('r2', { expectedVersion: (await store.load(key))?.version ?? 0 }))
    await finish(runs, 'r2')
    await background.retry('r1')
    expect(await takeOver(stores, 'r1')).toMatchObject({ attempt: 1, lastSeq: 1 })
    await finish(runs, 'r1')
    expect(await runs.events('r1', 0, 10)).toEqual([event('r1', 1)])
    expect((await store.turns(key)).map(({ runId }) => runId)).toEqual(['r2', 'r1'])
  })

  it('retries a failed direct run', async () => {
    const stores = getStores()
    const { runs, background } = stores
    await runs.create(key, newRun('r1', { isResumable: false, keepsEvents: false }))
    await runs.end('r1', { attempt: 1, status: 'failed', finishReason: 'error' })
    await background.retry('r1')
    expect(await background.unfinished(['helper'], { limit: 10 })).toMatchObject([{ runId: 'r1' }])
    expect(await takeOver(stores, 'r1')).toMatchObject({ attempt: 2, isResumable: true, keepsEvents: true })
  })

  it('retries neither a run that has not failed, nor a replaced nor an unknown one', async () => {
    const stores = getStores()
    const { runs, background } = stores
    const refused = { ...conflict, retryable: false }
    await enqueue(stores, queued('r1'))
    await expect(background.retry('r1')).rejects.toMatchObject(refused)
    await takeOver(stores, 'r1')
    await expect(background.retry('r1')).rejects.toMatchObject(refused)
    await runs.suspend('r1', {
      attempt: 1,
      approvals: [{ approvalId: 'a', callId: 'c', name: 'pay', input: {}, kind: 'approval' }],
    })
    await expect(background.retry('r1')).rejects.toMatchObject(refused)
    await runs.cancel('r1', aborted)
    await enqueue(stores, queued('r2', { replaces: 'r1' }))
    await expect(background.retry('r1')).rejects.toMatchObject(refused)
    await takeOver(stores, 'r2')
    await finish(runs, 'r2')
    await expect(background.retry('r2')).rejects.toMatchObject(refused)
    await expect(background.retry('unknown')).rejects.toMatchObject({ code: 'not-found' })
    expect(await statusOf(runs, 'r1')).toBe('failed')
  })
}
