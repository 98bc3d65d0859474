import { expect, it } from 'vitest'
import { key, user } from '../session-store-contract/turns.ts'
import { done, type GetRuns, newRun, suspend } from './runs.ts'

/** Tests the records that the owner of runs receives. */
export function recordTests(getRuns: GetRuns): void {
  it('returns the record of a run with all that is known of its end', async () => {
    const { runs } = getRuns()
    await runs.create(key, newRun('r1', { agentVersion: '7' }))
    const { record } = (await runs.read('r1')) ?? {}
    const time = expect.stringMatching(/^\d{4}-.*Z$/)
    const begun = {
      ...{ runId: 'r1', agentId: 'helper', userId: 'ann', sessionId: 's1', agentVersion: '7' },
      ...{ attempts: 1, approvals: [], createdAt: time, startedAt: time },
    }
    expect(record).toEqual({ ...begun, status: 'running', sources: [] })
    const source = { file: 'a.txt', start: 0, end: 1, quote: 'a', chunkId: 'c', score: { fused: 1 } }
    const ending = { text: 'Hello', cost: { usd: 0.5 }, sources: [source], ...done }
    await runs.end('r1', { attempt: 1, usage: { totalTokens: 3 }, ...ending })
    const ended = { ...begun, ...ending, usage: { totalTokens: 3 }, endedAt: time }
    expect((await runs.read('r1'))?.record).toEqual(ended)
    const { text: _, ...listed } = ended
    expect(await runs.list(key, { limit: 1 })).toEqual([listed])
  })

  it('shows a run without a session as one of its agent, and none of its sessions', async () => {
    const { runs, store } = getRuns()
    await runs.create({ agentId: 'helper:alone', userId: 'ann', sessionId: 'r1' }, newRun('r1'))
    const [record] = await runs.list(key, { limit: 10 })
    expect(record).toMatchObject({ runId: 'r1', agentId: 'helper', userId: 'ann' })
    expect(record).not.toHaveProperty('sessionId')
    expect((await runs.read('r1'))?.key).toEqual({ agentId: 'helper:alone', userId: 'ann', sessionId: 'r1' })
    expect(await store.list(key)).toEqual([])
  })

  it('lists and pages through the runs of an owner, newest first', async () => {
    const { runs, store } = getRuns()
    const createIn = async (sessionId: string, runId: string, owner: Partial<typeof key> = {}): Promise<void> => {
      const session = { ...key, ...owner, sessionId }
      const expectedVersion = (await store.load(session))?.version ?? 0
      await runs.create(session, newRun(runId, { agentId: session.agentId, expectedVersion }))
      if (runId !== 'r5') await runs.end(runId, { attempt: 1, ...done })
    }
    for (const runId of ['r1', 'r2']) await createIn('s1', runId)
    for (const runId of ['r3', 'r4', 'r5']) await createIn('s2', runId)
    await createIn('s1', 'bob1', { userId: 'bob' })
    await createIn('s1', 'other1', { agentId: 'other' })
    type Filter = Partial<Parameters<typeof runs.list>[1]>
    const ids = async (owner: { agentId: string; userId?: string }, filter: Filter = {}): Promise<string[]> =>
      (await runs.list(owner, { limit: 50, ...filter })).map(({ runId }) => runId)

    expect(await ids(key)).toEqual(['r5', 'r4', 'r3', 'r2', 'r1'])
    expect(await ids(key, { limit: 2 })).toEqual(['r5', 'r4'])
    expect(await ids(key, { limit: 2, after: 'r4' })).toEqual(['r3', 'r2'])
    expect(await ids(key, { after: 'r1' })).toEqual([])
    for (const unknown of ['unknown', 'bob1', 'other1']) expect(await ids(key, { after: unknown })).toEqual([])
    expect(await ids(key, { sessionId: 's1' })).toEqual(['r2', 'r1'])
    expect(await ids(key, { sessionId: 's2', limit: 1, after: 'r5' })).toEqual(['r4'])
    expect(await ids(key, { sessionId: 's3' })).toEqual([])
    expect(await ids(key, { status: 'running' })).toEqual(['r5'])
    expect(await ids(key, { status: 'done' })).toEqual(['r4', 'r3', 'r2', 'r1'])
    expect(await ids(key, { status: 'waiting' })).toEqual([])
    expect(await ids(key, { status: 'running', sessionId: 's1' })).toEqual([])
    expect(await ids({ agentId: 'helper' })).toEqual(['bob1', 'r5', 'r4', 'r3', 'r2', 'r1'])
    expect(await ids({ agentId: 'helper' }, { after: 'r2' })).toEqual(['r1'])
    expect(await ids({ agentId: 'helper' }, { after: 'other1' })).toEqual([])
    expect(await ids({ agentId: 'helper' }, { sessionId: 's1' })).toEqual(['bob1', 'r2', 'r1'])
    expect(await ids({ agentId: 'helper' }, { status: 'running' })).toEqual(['r5'])
    expect(await ids({ agentId: 'helper', userId: 'eve' })).toEqual([])
    if (runs.agents) expect((await runs.agents()).sort()).toEqual(['helper', 'other'])
  })

  it('lists waiting runs with their open approvals', async () => {
    const { runs } = getRuns()
    await suspend(runs, 'r1', 'apr_a', 'apr_b')
    await runs.decide('r1', { apr_a: true })
    const [record] = await runs.list(key, { status: 'waiting', limit: 10 })
    const shown = { approvalId: 'apr_b', callId: 'call of apr_b', name: 'pay', input: { amount: 1 }, kind: 'approval' }
    expect(record).toMatchObject({ status: 'waiting', finishReason: 'approval', approvals: [shown] })
    expect((await runs.read('r1'))?.record.approvals).toEqual([shown])
  })

  it('deletes all that is stored of the runs of a session', async () => {
    const { runs, store } = getRuns()
    await suspend(runs, 'r1', 'apr_a')
    await store.delete(key)
    expect(await runs.read('r1')).toBeUndefined()
    expect(await runs.list(key, { limit: 10 })).toEqual([])
    expect(await runs.eventRange('r1')).toBeUndefined()
    await expect(runs.decide('r1', { apr_a: true })).rejects.toMatchObject({ code: 'not-found' })
    // Nothing of the earlier run appears in a new one with its id.
    await runs.create(key, newRun('r1', { input: [user('again')] }))
    expect(await runs.read('r1')).toMatchObject({ approvals: [], calls: [], lastSeq: 0 })
  })
}
