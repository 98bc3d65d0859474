import { StatementSync } from 'node:sqlite'
import { Agent, type RunStore, type SessionStore, Swarm } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sqliteSessions } from '../sqlite-sessions.ts'

const day = 86_400_000
const nothing = { sessions: 0, runs: 0, events: 0, answers: 0 }

let store: SessionStore
let runs: RunStore
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-01T12:00:00Z') })
  store = sqliteSessions(':memory:')
  if (!store.runs) throw new Error('A SQLite store has runs.')
  runs = store.runs
})
afterEach(async () => {
  vi.useRealTimers()
  await store.close()
})

const key = (sessionId: string, userId = 'ada') => ({ agentId: 'notes', userId, sessionId })
const event = { seq: 1, runId: 'r', path: ['notes'], type: 'text-delta' as const, text: 'x' }
const newRun = { agentId: 'notes', expectedVersion: 0, isResumable: true, keepsEvents: true }
const input = [{ role: 'user' as const, content: 'Hi' }]

/** A finished run in a session of its own, with one event. */
async function finished(runId: string, userId?: string): Promise<void> {
  await runs.create(key(runId, userId), { ...newRun, runId, input })
  await runs.append(runId, { attempt: 1, events: [{ ...event, runId }] })
  await runs.end(runId, { attempt: 1, status: 'done', finishReason: 'stop' })
}

const sessionsOf = async (userId = 'ada') =>
  (await store.list({ agentId: 'notes', userId })).map(({ sessionId }) => sessionId).sort()

describe('prune', () => {
  it('removes nothing without rules, and nothing with rules of 0', async () => {
    await finished('a')
    vi.setSystemTime(Date.now() + 1_000 * day)
    expect(await runs.prune({})).toEqual(nothing)
    expect(await runs.prune({ sessionsMs: 0, sessionsPerUser: 0, eventsMs: 0, answersMs: 0 })).toEqual(nothing)
    expect(await sessionsOf()).toEqual(['a'])
  })

  it('removes sessions that were not used for the time, with their runs, events and answers', async () => {
    await finished('a')
    const request = { scope: 'notes', key: 'k', fingerprint: 'f' }
    await runs.answers.reserve(request)
    await runs.answers.store(request, { runId: 'a', status: 200, body: 'Hi' })
    vi.setSystemTime(Date.now() + 5 * day)
    await finished('b')
    expect(await runs.prune({ sessionsMs: 5 * day - 1 })).toEqual({ ...nothing, sessions: 1, runs: 1 })
    expect(await sessionsOf()).toEqual(['b'])
    expect(await runs.read('a')).toBeUndefined()
    expect(await runs.eventRange('a')).toBeUndefined()
    expect(await runs.answers.reserve(request)).toBeUndefined()
    expect(await runs.events('b', 0, 10)).toHaveLength(1)
  })

  it('removes the oldest sessions of each user beyond a number', async () => {
    for (const id of ['a', 'b', 'c']) {
      await finished(id)
      vi.setSystemTime(Date.now() + 1_000)
    }
    await finished('d', 'bob')
    expect(await runs.prune({ sessionsPerUser: 2 })).toEqual({ ...nothing, sessions: 1, runs: 1 })
    expect([await sessionsOf(), await sessionsOf('bob')]).toEqual([['b', 'c'], ['d']])
  })

  it('keeps sessions whose run is running or waits', async () => {
    await runs.create(key('running'), { ...newRun, runId: 'running', input })
    await runs.create(key('waiting'), { ...newRun, runId: 'waiting', input })
    await runs.suspend('waiting', { attempt: 1, approvals: [] })
    await finished('done')
    vi.setSystemTime(Date.now() + 1_000 * day)
    await finished('new')
    const report = await runs.prune({ sessionsMs: day, sessionsPerUser: 1, eventsMs: day, answersMs: day })
    expect(report).toMatchObject({ sessions: 1, runs: 1 })
    expect(await sessionsOf()).toEqual(['new', 'running', 'waiting'])
  })

  it('tries to remove no session whose run is queued, running or waits', async () => {
    await runs.create(key('running'), { ...newRun, runId: 'running', input })
    await runs.create(key('waiting'), { ...newRun, runId: 'waiting', input })
    await runs.suspend('waiting', { attempt: 1, approvals: [] })
    await finished('done')
    vi.setSystemTime(Date.now() + 1_000 * day)
    const changes = vi.spyOn(StatementSync.prototype, 'run')
    const report = await runs.prune({ sessionsMs: day })
    await runs.prune({ sessionsPerUser: 1 })
    const statements = changes.mock.contexts as StatementSync[]
    const removals = statements.filter(({ sourceSQL }) => sourceSQL.startsWith('DELETE FROM sessions'))
    changes.mockRestore()
    expect(report).toMatchObject({ sessions: 1 })
    expect(removals).toHaveLength(1)
  })

  it('removes events and answers of runs that ended so long ago, each by its own rule', async () => {
    await finished('a')
    const request = { scope: 'notes', key: 'k', fingerprint: 'f' }
    await runs.answers.reserve(request)
    await runs.answers.store(request, { runId: 'a', status: 200, body: 'Hi' })
    vi.setSystemTime(Date.now() + 2 * day)
    expect(await runs.prune({ eventsMs: 3 * day, answersMs: 3 * day })).toEqual(nothing)
    expect(await runs.prune({ eventsMs: day })).toEqual({ ...nothing, events: 1 })
    expect(await runs.answers.reserve(request)).toMatchObject({ status: 200 })
    expect(await runs.prune({ answersMs: day })).toEqual({ ...nothing, answers: 1 })
    expect(await sessionsOf()).toEqual(['a'])
  })

  it('removes many sessions, in batches', async () => {
    for (let index = 0; index < 25; index++) await finished(`s${index}`)
    vi.setSystemTime(Date.now() + 2 * day)
    expect(await runs.prune({ sessionsMs: day })).toMatchObject({ sessions: 25, runs: 25 })
    expect(await sessionsOf()).toEqual([])
  })

  it('removes the sessions of members with that of their swarm, and never before', async () => {
    const writer = new Agent({ name: 'Writer', functions: [], model: scriptedModel(['A poem.']) })
    const model = scriptedModel([{ toolCalls: [{ name: 'writer', input: { task: 'Write.' } }] }, 'Done.', 'Yes.'])
    const swarm = new Swarm({ name: 'Team', agents: [writer], model, sessions: store })
    await swarm.chat('A poem, please.', { userId: 'ada', sessionId: 'first' })
    const member = { agentId: 'team/writer', userId: 'ada', sessionId: 'first' }
    vi.setSystemTime(Date.now() + 10 * day)
    await swarm.chat('Is it good?', { userId: 'ada', sessionId: 'first' })
    expect(await runs.prune({ sessionsMs: day })).toEqual(nothing)
    expect(await store.turns(member)).toHaveLength(1)
    vi.setSystemTime(Date.now() + 10 * day)
    expect(await runs.prune({ sessionsMs: day })).toMatchObject({ sessions: 1 })
    expect(await store.turns(member)).toEqual([])
  })
})

it('size is the size of the data, without free pages', async () => {
  const size = async () => (await runs.size?.()) ?? Number.NaN
  const empty = await size()
  await runs.create(key('a'), { ...newRun, runId: 'a', input: [{ role: 'user', content: 'x'.repeat(1_000_000) }] })
  await runs.end('a', { attempt: 1, status: 'done', finishReason: 'stop' })
  expect(await size()).toBeGreaterThan(empty + 900_000)
  await store.delete(key('a'))
  expect(await size()).toBeLessThan(empty + 100_000)
})
