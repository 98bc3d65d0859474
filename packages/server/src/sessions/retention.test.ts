import { Agent, type Knowledge, type RunStore, type SessionStore } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'
import { scriptedModel } from '@agentkit/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { until } from '../__fixtures__/requests.ts'
import { createApp } from '../create-app.ts'
import { serve } from '../serve.ts'
import type { LogEntry } from '../util/log.ts'
import { hasRoom } from './disk-use.ts'
import { startRetention } from './retention.ts'
import { checkRetention, type RetentionOptions } from './retention-options.ts'

const hour = 3_600_000
const day = 24 * hour
const owner = { agentId: 'notes', userId: 'ada' }

let sessions: SessionStore
let runs: RunStore
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.parse('2026-01-01T12:00:00Z') })
  sessions = sqliteSessions(':memory:')
  if (!sessions.runs) throw new Error('A SQLite store has runs.')
  runs = sessions.runs
})
afterEach(async () => {
  vi.useRealTimers()
  await sessions.close()
})

function agentWith(knowledge?: Partial<Knowledge>): Agent {
  const known = knowledge as Knowledge // only what the retention reads
  const model = scriptedModel(Array.from({ length: 20 }, () => 'Hello.'))
  return new Agent({ name: 'Notes', functions: [], model, sessions, ...(knowledge && { knowledge: known }) })
}

/** Starts the retention, waits so many hours, and stops it. */
async function retain(agent: Agent, options: RetentionOptions, hours = 0): Promise<LogEntry[]> {
  const logged: LogEntry[] = []
  const stop = startRetention({ agent, retention: checkRetention(options), log: (entry) => logged.push(entry) })
  await vi.advanceTimersByTimeAsync(10_000)
  await settled()
  await vi.advanceTimersByTimeAsync(hours * hour)
  await settled()
  stop()
  return logged
}

/** The store commits what follows in a turn of the event loop at its end. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await new Promise((next) => setImmediate(next))
}

/** A finished run in the session "a", with events. */
async function runWithEvents(): Promise<string> {
  const runId = 'run_1'
  const input = [{ role: 'user' as const, content: 'Hi' }]
  const run = { runId, agentId: 'notes', expectedVersion: 0, input, isResumable: true, keepsEvents: true }
  await runs.create({ ...owner, sessionId: 'a' }, run)
  const event = { runId, path: ['notes'], type: 'text-delta' as const, text: 'Hello.' }
  await runs.append(runId, { attempt: 1, events: [1, 2].map((seq) => ({ ...event, seq })) })
  await runs.end(runId, { attempt: 1, status: 'done', finishReason: 'stop' })
  return runId
}

const chat = (agent: Agent, sessionId: string, userId = 'ada') => agent.chat('Hi', { userId, sessionId })
const listed = async () => (await sessions.list(owner)).map(({ sessionId }) => sessionId)

describe('the retention', () => {
  it('keeps everything for ever, and logs nothing, without options', async () => {
    const agent = agentWith()
    await chat(agent, 'old')
    vi.setSystemTime(Date.now() + 5_000 * day)
    expect(await retain(agent, {})).toEqual([])
    expect(await listed()).toEqual(['old'])
  })

  it('removes unused sessions within ten seconds of the start, and logs one line', async () => {
    const agent = agentWith()
    await chat(agent, 'old')
    await chat(agent, 'old')
    vi.setSystemTime(Date.now() + 31 * day)
    await chat(agent, 'new')
    const logged = await retain(agent, { retentionDays: 30 })
    expect(await listed()).toEqual(['new'])
    expect(logged).toEqual([
      { time: expect.any(String), level: 'info', message: 'Removed 1 session with 2 runs, as the retention says.' },
    ])
  })

  it('removes the oldest sessions of each user beyond the number', async () => {
    const agent = agentWith()
    for (const [index, id] of ['a', 'b', 'c'].entries()) {
      vi.setSystemTime(Date.now() + index * 1_000)
      await chat(agent, id)
    }
    await chat(agent, 'd', 'bob')
    await retain(agent, { maxSessionsPerUser: 2 })
    expect(await listed()).toEqual(['c', 'b'])
    expect(await sessions.list({ ...owner, userId: 'bob' })).toHaveLength(1)
  })

  it('runs again every hour', async () => {
    const agent = agentWith()
    await chat(agent, 'a')
    const stop = startRetention({ agent, retention: checkRetention({ retentionDays: 0.1 }), log: () => {} })
    await vi.advanceTimersByTimeAsync(2 * hour)
    expect(await listed()).toEqual(['a'])
    await vi.advanceTimersByTimeAsync(hour + 10_000)
    expect(await listed()).toEqual([])
    stop()
  })

  it('removes events and idempotent answers a day after the end of their run, without options', async () => {
    const agent = agentWith()
    const runId = await runWithEvents()
    const request = { scope: 's', key: 'k', fingerprint: 'f' }
    await runs.answers.reserve(request)
    await runs.answers.store(request, { runId, status: 200, body: 'Hello.' })
    vi.setSystemTime(Date.now() + day - hour)
    expect(await retain(agent, {})).toEqual([])
    const [entry] = await retain(agent, {}, 2)
    expect(entry?.message).toBe('Removed 2 events, 1 idempotent answer, as the retention says.')
    expect(await runs.eventRange(runId)).toBeUndefined()
    expect(await listed()).toEqual(['a'])
  })

  it('does nothing after it was stopped, nor with a store that has no runs', async () => {
    const agent = agentWith()
    await chat(agent, 'old')
    vi.setSystemTime(Date.now() + 31 * day)
    startRetention({ agent, retention: checkRetention({ retentionDays: 30 }), log: () => {} })()
    await vi.advanceTimersByTimeAsync(2 * hour)
    expect(await listed()).toEqual(['old'])
    const plain = new Agent({ name: 'Notes', functions: [], model: scriptedModel([]) })
    expect(await retain(plain, { retentionDays: 30 })).toEqual([])
  })

  it('logs that the store failed, without a secret, and tries again', async () => {
    const agent = agentWith()
    await chat(agent, 'old')
    vi.setSystemTime(Date.now() + 31 * day)
    const { prune } = runs
    runs.prune = async () => {
      runs.prune = prune
      throw new Error('disk of sk-abcdefgh12345678')
    }
    const logged = await retain(agent, { retentionDays: 30 }, 1)
    expect(logged.map(({ level, message, error }) => [level, message, error])).toEqual([
      ['error', 'Old data could not be removed.', 'Error: disk of [redacted]'],
      ['info', 'Removed 1 session with 1 run, as the retention says.', undefined],
    ])
  })
})

it('is started by serve, and not by createApp', async () => {
  vi.useRealTimers()
  const agent = agentWith()
  await chat(agent, 'old')
  const retention = { retentionDays: 1e-6 }
  const logged: LogEntry[] = []
  const log = (entry: LogEntry): void => void logged.push(entry)
  createApp(agent, { retention, log: () => expect.unreachable() })
  const server = await serve(agent, { port: 0, retention, log })
  await until(() => logged.length > 0)
  await server.close()
  expect(logged).toMatchObject([{ level: 'info', message: expect.stringContaining('1 session with 1 run') }])
})

describe('maxDiskMb', () => {
  const limit = (maxBytes: number, removed: string[] = []) => ({
    maxBytes,
    onRemoved: (what: string) => void removed.push(what),
  })
  const files = (size: number): Partial<Knowledge> => ({
    folder: '/files',
    tools: () => [],
    records: async () => [{ file: 'a.txt', size, status: 'ok' as const }],
  })

  it('leaves room for a file up to the size, of files and stored data together', async () => {
    const agent = agentWith(files(500_000))
    const stored = (await runs.size?.()) ?? Number.NaN
    expect(stored).toBeGreaterThan(0)
    const left = 1_000_000 - 500_000 - stored
    expect(await hasRoom(agent, limit(1_000_000), left)).toBe(true)
    expect(await hasRoom(agent, limit(1_000_000), left + 1)).toBe(false)
    expect(await hasRoom(agent, limit(0), 1e12)).toBe(true)
  })

  it('removes events of runs that have ended first, and never a conversation or an answer', async () => {
    const agent = agentWith(files(0))
    const runId = await runWithEvents()
    const request = { scope: 's', key: 'k', fingerprint: 'f' }
    await runs.answers.reserve(request)
    await runs.answers.store(request, { runId, status: 200, body: 'Hello.' })
    vi.setSystemTime(Date.now() + 1_000)
    expect(await runs.eventRange(runId)).toBeDefined()
    const removed: string[] = []
    expect(await hasRoom(agent, limit(1, removed), 1)).toBe(false)
    expect(removed).toEqual(['2 events'])
    expect(await runs.eventRange(runId)).toBeUndefined()
    expect(await runs.answers.reserve(request)).toMatchObject({ status: 200 })
    expect(await listed()).toEqual(['a'])
  })

  it('is kept by the retention too', async () => {
    const agent = agentWith()
    const runId = await runWithEvents()
    const logged = await retain(agent, { maxDiskMb: 0.001 })
    expect(logged.map(({ message }) => message)).toEqual(['Removed 2 events, as the retention says.'])
    expect(await runs.eventRange(runId)).toBeUndefined()
    expect(await listed()).toEqual(['a'])
  })
})
