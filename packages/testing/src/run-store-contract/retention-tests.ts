import type { RunStore, SessionStore } from '@agentkit/core'
import { expect, it } from 'vitest'
import { key, runTurn, tick, user } from '../session-store-contract/turns.ts'
import { approval, done, event, type GetRuns, newRun } from './runs.ts'

const nothing = { sessions: 0, runs: 0, events: 0, answers: 0 }

/** Tests the removal of old data. */
export function retentionTests(getRuns: GetRuns): void {
  it('removes nothing without rules, and nothing that is younger than they say', async () => {
    const { runs } = getRuns()
    await endRun(runs, 's1', 'r1')
    expect(await runs.prune({})).toEqual(nothing)
    expect(await runs.prune({ sessionsMs: 0, sessionsPerUser: 0, eventsMs: 0, answersMs: 0 })).toEqual(nothing)
    expect(await runs.prune({ sessionsMs: 60_000, sessionsPerUser: 1, eventsMs: 60_000, answersMs: 60_000 })).toEqual(
      nothing,
    )
    expect(await runs.events('r1', 0, 10)).toHaveLength(2)
  })

  it('takes parts of a millisecond, as a part of a day may have', async () => {
    const { runs } = getRuns()
    await endRun(runs, 's1', 'r1')
    await tick()
    expect(await runs.prune({ sessionsMs: 60_000.5, eventsMs: 60_000.5, answersMs: 60_000.5 })).toEqual(nothing)
    expect(await runs.prune({ sessionsMs: 0.5, answersMs: 0.5 })).toMatchObject({ sessions: 1, runs: 1 })
  })

  it('removes sessions that were not used for too long, with all that belongs to them', async () => {
    const { runs, store } = getRuns()
    for (let index = 0; index < 25; index++) await endRun(runs, `old${index}`, `r${index}`)
    const member = (sessionId: string) => ({ ...key, agentId: 'helper/member', sessionId })
    await runTurn(store, member('old3'), 'r3/call', [user('task')])
    await runTurn(store, member('new'), 'young/call', [user('task')])
    await runs.answers.reserve(request)
    await runs.answers.store(request, { runId: 'r3', status: 200, body: 'kept with its run' })
    await tick()
    const since = Date.now()
    // A store counts from the moment at which it prunes, which comes later on a busy machine.
    await tick(250)
    await endRun(runs, 'new', 'young')
    expect(await runs.prune({ sessionsMs: Date.now() - since })).toMatchObject({ sessions: 25, runs: 25 })
    expect((await store.list(key)).map(({ sessionId }) => sessionId)).toEqual(['new'])
    expect(await store.load(member('old3'))).toBeUndefined()
    // A member's session is as old as the session of its swarm.
    expect(await store.load(member('new'))).toBeDefined()
    expect(await runs.read('r3')).toBeUndefined()
    expect(await runs.events('r3', 0, 10)).toEqual([])
    expect(await runs.answers.reserve(request)).toBeUndefined()
  })

  it("removes a user's oldest sessions beyond a number", async () => {
    const { runs, store } = getRuns()
    for (const sessionId of ['s1', 's2', 's3']) {
      await endRun(runs, sessionId, `r${sessionId}`)
      await tick()
    }
    await endRun(runs, 's1', 'of bob', 'bob')
    expect(await runs.prune({ sessionsPerUser: 2 })).toMatchObject({ sessions: 1, runs: 1 })
    expect((await store.list(key)).map(({ sessionId }) => sessionId)).toEqual(['s3', 's2'])
    expect(await store.list({ ...key, userId: 'bob' })).toHaveLength(1)
  })

  it('never removes running and waiting runs, and their sessions', async () => {
    const { runs, store } = getRuns()
    await runs.create({ ...key, sessionId: 'running' }, newRun('r1'))
    await runs.append('r1', { attempt: 1, events: [event('r1', 1)] })
    await runs.create({ ...key, sessionId: 'waiting' }, newRun('r2'))
    await runs.suspend('r2', { attempt: 1, events: [event('r2', 1)], approvals: [approval('apr_a')] })
    await endRun(runs, 'ended', 'r3')
    await tick()
    const rules = { sessionsMs: 1, sessionsPerUser: 1, eventsMs: 1 }
    expect(await runs.prune(rules)).toMatchObject({ sessions: 1, runs: 1 })
    expect((await sessionIds(store)).toSorted()).toEqual(['running', 'waiting'])
    expect(await runs.events('r1', 0, 10)).toHaveLength(1)
    expect(await runs.events('r2', 0, 10)).toHaveLength(1)
  })

  it('removes the events of runs that ended long ago, and no number is given to two events', async () => {
    const { runs } = getRuns()
    await endRun(runs, 's1', 'r1')
    await tick()
    expect(await runs.prune({ eventsMs: 1 })).toEqual({ ...nothing, events: 2 })
    expect(await runs.prune({ eventsMs: 1 })).toEqual(nothing)
    expect(await runs.eventRange('r1')).toBeUndefined()
    expect(await runs.read('r1')).toMatchObject({ keepsEvents: true, lastSeq: 2, record: { status: 'done' } })
  })

  it('removes idempotent answers once they and their runs are old', async () => {
    const { runs } = getRuns()
    await runs.create({ ...key, sessionId: 'running' }, newRun('r1'))
    await runs.answers.reserve(request)
    await runs.answers.store(request, { runId: 'r1' })
    const alone = { ...request, key: 'alone' }
    await runs.answers.reserve(alone)
    await runs.answers.store(alone, { status: 200, body: 'done' })
    await tick()
    expect(await runs.prune({ answersMs: 1 })).toEqual({ ...nothing, answers: 1 })
    expect(await runs.answers.reserve(alone)).toBeUndefined()
    await runs.end('r1', { attempt: 1, ...done })
    await runs.answers.forget(alone)
    await tick()
    expect(await runs.prune({ answersMs: 1 })).toMatchObject({ answers: 1 })
    expect(await runs.answers.reserve(request)).toBeUndefined()
  })
}

const request = { scope: 'helper ann POST /chat', key: 'k1', fingerprint: 'f1' }

async function endRun(runs: RunStore, sessionId: string, runId: string, userId = key.userId): Promise<void> {
  await runs.create({ ...key, userId, sessionId }, newRun(runId))
  await runs.end(runId, { attempt: 1, events: [event(runId, 1), event(runId, 2)], ...done })
}

async function sessionIds(store: SessionStore): Promise<string[]> {
  return (await store.list(key)).map(({ sessionId }) => sessionId)
}
