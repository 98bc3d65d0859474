import { expect, it } from 'vitest'
import { answer, begin, calls, key, load, result, user } from '../session-store-contract/turns.ts'
import { approval, conflict, done, event, type GetRuns, newRun, versionOf } from './runs.ts'

/** Tests create, append and end, and that writes of an earlier attempt are refused. */
export function writeTests(getRuns: GetRuns): void {
  it('shows a created run as one that `begin` has begun', async () => {
    const { store, runs } = getRuns()
    await runs.create(key, newRun('r1'))
    expect(await load(store, key)).toEqual({ version: 1, messages: [] })
    await runs.append('r1', { attempt: 1, position: 1, messages: [calls('a')], state: { step: 1 } })
    await runs.append('r1', { attempt: 1, position: 2, messages: [result('a')] })
    await runs.end('r1', { attempt: 1, position: 3, messages: [answer('1')], usage: { totalTokens: 3 }, ...done })
    const messages = [user('r1'), calls('a'), result('a'), answer('1')]
    expect(await load(store, key)).toEqual({ version: 2, messages, state: { step: 1 } })
    expect(await store.find('r1')).toMatchObject({ status: 'done', messages, usage: { totalTokens: 3 } })
    expect(await store.turns(key)).toEqual([await store.find('r1')])
    expect(await store.list(key)).toMatchObject([{ sessionId: 's1', title: 'r1', turns: 1 }])
  })

  it('refuses to create at another version, in a session that is held, and with an id that is used', async () => {
    const { runs, store } = getRuns()
    await expect(runs.create(key, newRun('r1', { expectedVersion: 1 }))).rejects.toMatchObject(conflict)
    await runs.create(key, newRun('r1'))
    await expect(runs.create(key, newRun('r2', { expectedVersion: 1 }))).rejects.toMatchObject(conflict)
    await expect(begin(store, key, 'r2', 1)).rejects.toMatchObject(conflict)
    await runs.end('r1', { attempt: 1, ...done })
    await expect(runs.create(key, newRun('r1', { expectedVersion: 2 }))).rejects.toMatchObject(conflict)
    await expect(runs.create({ ...key, sessionId: 's2' }, newRun('r1'))).rejects.toMatchObject(conflict)
    expect(await versionOf(store)).toBe(2)
  })

  it('lets exactly one of 20 parallel runs be created', async () => {
    const { runs, open } = getRuns()
    const other = await open()
    const attempts = Array.from({ length: 20 }, (_, index) =>
      (index % 2 ? runs : other.runs).create(key, newRun(`r${index}`)),
    )
    const outcomes = await Promise.allSettled(attempts)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await runs.list(key, { limit: 50 })).toHaveLength(1)
  })

  it('changes nothing by a repeated append', async () => {
    const { runs, store } = getRuns()
    await runs.create(key, newRun('r1'))
    const entry = {
      attempt: 1,
      position: 1,
      messages: [calls('a'), result('a')],
      calls: [{ callId: 'a', name: 'echo', startedAt: 5 }],
      events: [event('r1', 1), event('r1', 2)],
      progress: { step: 1 },
      usage: { totalTokens: 3 },
      state: 'one',
    }
    await runs.append('r1', entry)
    const stored = await runs.read('r1')
    await runs.append('r1', entry)
    expect(await runs.read('r1')).toEqual(stored)
    expect((await store.find('r1'))?.messages).toEqual([user('r1'), calls('a'), result('a')])
    expect(await runs.events('r1', 0, 10)).toEqual([event('r1', 1), event('r1', 2)])
  })

  it('adds only the messages of an append that are not stored', async () => {
    const { runs, store } = getRuns()
    await runs.create(key, newRun('r1'))
    await runs.append('r1', { attempt: 1, position: 1, messages: [calls('a')] })
    await runs.append('r1', { attempt: 1, position: 1, messages: [calls('a'), result('a')] })
    await runs.append('r1', { attempt: 1, messages: [answer('1')] })
    expect((await store.find('r1'))?.messages).toEqual([user('r1'), calls('a'), result('a'), answer('1')])
    await expect(runs.append('r1', { attempt: 1, position: 6, messages: [answer('gap')] })).rejects.toMatchObject(
      conflict,
    )
  })

  it('keeps calls that have begun, progress, options and deadline for the process that continues the run', async () => {
    const { runs } = getRuns()
    const options = { userId: 'ann', nested: [1, null, 'é'] }
    await runs.create(key, newRun('r1', { options, progress: 0, deadline: 1e12, agentVersion: '2' }))
    expect(await runs.read('r1')).toMatchObject({ options, progress: 0, deadline: 1e12, calls: [], lastSeq: 0 })
    await runs.append('r1', { attempt: 1, calls: [{ callId: 'b', name: 'pay', startedAt: 5 }], progress: { step: 1 } })
    await runs.append('r1', { attempt: 1, calls: [{ callId: 'a', name: 'look', startedAt: 7 }] })
    expect(await runs.read('r1')).toMatchObject({
      record: { agentVersion: '2', status: 'running', attempts: 1 },
      key,
      attempt: 1,
      isResumable: true,
      keepsEvents: true,
      takeovers: 0,
      options,
      progress: { step: 1 },
      calls: [
        { callId: 'b', name: 'pay', startedAt: 5 },
        { callId: 'a', name: 'look', startedAt: 7 },
      ],
    })
    await runs.append('r1', { attempt: 1, calls: [{ callId: 'b', name: 'pay', startedAt: 9 }] })
    const again = (await runs.read('r1'))?.calls ?? []
    expect(again.map(({ callId, startedAt }) => `${callId} ${startedAt}`).toSorted()).toEqual(['a 7', 'b 9'])
    expect(await runs.read('unknown')).toBeUndefined()
  })

  it('accepts nothing of another attempt, nothing for a run that has ended, and nothing for an unknown run', async () => {
    const { runs, store } = getRuns()
    await runs.create(key, newRun('r1'))
    const refuseAll = async (runId: string, attempt: number): Promise<void> => {
      const late = { attempt, messages: [answer('late')], state: 'late', events: [event(runId, 9)] }
      await expect(runs.append(runId, late)).rejects.toMatchObject(conflict)
      await expect(runs.append(runId, { attempt, events: late.events })).rejects.toMatchObject(conflict)
      await expect(runs.suspend(runId, { ...late, approvals: [] })).rejects.toMatchObject(conflict)
      await expect(runs.end(runId, { ...late, ...done })).rejects.toMatchObject(conflict)
      await expect(runs.release(runId, attempt)).rejects.toMatchObject(conflict)
    }
    await refuseAll('r1', 2)
    await refuseAll('unknown', 1)
    // The refused writes do not affect the current attempt.
    await runs.end('r1', { attempt: 1, ...done })
    await refuseAll('r1', 1)
    expect(await store.find('r1')).toMatchObject({ status: 'done', messages: [user('r1')] })
    expect(await runs.events('r1', 0, 10)).toEqual([])
  })

  it('cancels a run of any holder, once', async () => {
    const { runs, open } = getRuns()
    const other = await open()
    const cancelled = { status: 'failed', finishReason: 'aborted' } as const
    const error = { code: 'aborted', message: 'Cancelled.', retryable: false } as const
    const cost = { usd: 0.5 }
    await runs.create(key, newRun('r1'))
    await runs.append('r1', { attempt: 1, usage: { totalTokens: 15 } })
    expect(await other.runs.cancel('r1', { ...cancelled, error, cost })).toBe(true)
    expect(await other.runs.cancel('r1', cancelled)).toBe(false)
    const usage = { totalTokens: 15 }
    expect((await runs.read('r1'))?.record).toMatchObject({
      status: 'failed',
      finishReason: 'aborted',
      error,
      usage,
      cost,
    })
    await expect(runs.append('r1', { attempt: 1, messages: [answer('late')] })).rejects.toMatchObject(conflict)
    await other.runs.create(key, newRun('r2', { expectedVersion: await versionOf(other.store) }))
    await other.runs.cancel('r2', { ...cancelled, usage: { totalTokens: 30 } })
    expect((await runs.read('r2'))?.record.usage).toEqual({ totalTokens: 30 })
    await expect(runs.cancel('unknown', cancelled)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('calls who watches a run after each write to it, until it stops', async () => {
    const { runs, store } = getRuns()
    let calls = 0
    const stop = runs.watch('r1', () => void calls++)
    const failing = runs.watch('r1', () => {
      throw new Error('a reader failed')
    })
    const seen = async (write: Promise<unknown>): Promise<number> => {
      const before = calls
      await write
      return calls - before
    }
    // A store whose processes are on many machines may call it at other times too.
    const isSeen = async (write: Promise<unknown>): Promise<void> => expect(await seen(write)).toBeGreaterThan(0)
    await isSeen(runs.create(key, newRun('r1')))
    await isSeen(runs.append('r1', { attempt: 1, events: [event('r1', 1)] }))
    await isSeen(runs.suspend('r1', { attempt: 1, approvals: [approval('a')] }))
    await isSeen(runs.decide('r1', { a: true }))
    await isSeen(runs.takeOver('r1', { expectedVersion: await versionOf(store) }))
    await isSeen(runs.release('r1', 2))
    await isSeen(runs.cancel('r1', { status: 'failed', finishReason: 'aborted' }))
    stop()
    failing()
    expect(await seen(store.delete(key))).toBe(0)
  })
}
