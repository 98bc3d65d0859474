import { expect, it } from 'vitest'
import { answer, key, load, user } from '../session-store-contract/turns.ts'
import { conflict, done, type GetRuns, newRun, suspend, versionOf } from './runs.ts'

/** Runs that replace earlier ones. */
export function replaceTests(getRuns: GetRuns): void {
  it('keeps the status of a replaced run, and marks it', async () => {
    const { runs, store } = getRuns()
    await runs.create(key, newRun('r1'))
    await runs.end('r1', { attempt: 1, messages: [answer('1')], ...done })
    await runs.create(key, newRun('r2', { expectedVersion: 2, replaces: 'r1' }))
    await runs.end('r2', { attempt: 1, messages: [answer('2')], ...done })
    expect((await runs.read('r1'))?.record).toMatchObject({ status: 'done', replaced: true })
    expect(await runs.list(key, { limit: 9 })).toMatchObject([{ runId: 'r2' }, { runId: 'r1', replaced: true }])
    expect((await load(store, key)).messages).toEqual([user('r2'), answer('2')])
  })

  it('cancels replaced runs that run or wait', async () => {
    const { runs, store } = getRuns()
    await suspend(runs, 'r1', 'apr_a')
    await runs.create(key, newRun('r2', { expectedVersion: 2 }))
    await runs.create(key, newRun('r3', { expectedVersion: 3, replaces: 'r1' }))
    for (const runId of ['r1', 'r2']) {
      const { record } = (await runs.read(runId)) ?? {}
      expect(record).toMatchObject({ status: 'failed', finishReason: 'aborted', replaced: true })
    }
    await expect(runs.append('r2', { attempt: 1, messages: [answer('late')] })).rejects.toMatchObject(conflict)
    expect((await store.turns(key)).map(({ status }) => status)).toEqual(['replaced', 'replaced', 'running'])
    await runs.end('r3', { attempt: 1, ...done })
    expect(await versionOf(store)).toBeGreaterThan(3)
  })

  it('refuses to replace a run of another session, or one that was replaced, and changes nothing', async () => {
    const { runs, store } = getRuns()
    await runs.create(key, newRun('r1'))
    await runs.end('r1', { attempt: 1, ...done })
    const notFound = { code: 'not-found' }
    const elsewhere = { ...key, sessionId: 's2' }
    await expect(runs.create(elsewhere, newRun('r2', { replaces: 'r1' }))).rejects.toMatchObject(notFound)
    expect(await store.load(elsewhere)).toBeUndefined()
    const unknown = newRun('r2', { expectedVersion: 2, replaces: 'unknown' })
    await expect(runs.create(key, unknown)).rejects.toMatchObject(notFound)
    await runs.create(key, newRun('r2', { expectedVersion: 2, replaces: 'r1' }))
    await runs.end('r2', { attempt: 1, ...done })
    const again = newRun('r3', { expectedVersion: 4, replaces: 'r1' })
    await expect(runs.create(key, again)).rejects.toMatchObject(notFound)
    expect(await versionOf(store)).toBe(4)
  })
}
