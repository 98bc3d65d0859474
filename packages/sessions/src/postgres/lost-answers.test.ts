import type {
  AgentEvent,
  BackgroundRuns,
  MemberRunEntry,
  Message,
  QueuedRunEntry,
  RunStore,
  SessionStore,
} from '@agentkit/core'
import { testDatabase } from '@agentkit/test-postgres'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type TCPProxy, tcpProxy } from './__fixtures__/tcp-proxy.ts'
import { unusedQueue } from './__fixtures__/unused-queue.ts'
import { postgresSessions } from './postgres-sessions.ts'

// The commit of a write is done, and its answer never arrives: the write is tried again and succeeds, and nothing is done
// twice.

const key = { agentId: 'helper', userId: 'ann', sessionId: 's1' }
const done = { status: 'done', finishReason: 'stop' } as const
const approval = { approvalId: 'a', callId: 'c', name: 'pay', input: {}, kind: 'approval' } as const
const bounds = { queued: 100, userQueued: 100 }

let proxy: TCPProxy
let store: SessionStore
let runs: RunStore
let background: BackgroundRuns
let url: string
beforeEach(async () => {
  url = await testDatabase()
  proxy = await tcpProxy(url)
  // One connection, and one heartbeat: what is written next is known.
  const options = { poolSize: 1, heartbeatMs: 600_000, staleAfterMs: 600_000, queue: unusedQueue }
  store = postgresSessions(proxy.urlOf(url), options)
  if (!store.runs?.background) throw new Error('The store has a queue.')
  runs = store.runs
  background = store.runs.background
  await background.setSchedule({ ...schedule, nextAt: 5_000 })
})
afterEach(async () => {
  await store.close()
  await proxy.close()
})

it.each<
  [string, string | undefined, () => Promise<void>, () => Promise<unknown>, unknown, () => Promise<unknown>, unknown]
>([
  ['create', undefined, nothing, () => runs.create(key, newRun('r1')), undefined, facts, ['running 1 1', 1]],
  [
    'append',
    undefined,
    begin,
    () => runs.append('r1', { attempt: 1, messages: [user('2')], events: [event(1)] }),
    undefined,
    facts,
    ['running 1 2', 1],
  ],
  [
    'append with state',
    undefined,
    begin,
    () => runs.append('r1', { attempt: 1, messages: [user('2')], state: 1 }),
    undefined,
    facts,
    ['running 1 2', 1],
  ],
  [
    'end',
    undefined,
    begin,
    () => runs.end('r1', { attempt: 1, messages: [user('2')], ...done }),
    undefined,
    facts,
    ['done 1 2', 2],
  ],
  [
    'suspend',
    'COMMIT',
    begin,
    () => runs.suspend('r1', { attempt: 1, messages: [user('2')], approvals: [approval] }),
    {},
    facts,
    ['waiting 1 2', 2],
  ],
  ['decide', 'COMMIT', suspend, () => runs.decide('r1', { a: true }, 'bob'), 'running', facts, ['running 1 1', 2]],
  ['release', 'COMMIT', begin, () => runs.release('r1', 1), undefined, facts, ['running 1 1', 1]],
  [
    'cancel',
    'COMMIT',
    begin,
    () => runs.cancel('r1', { status: 'failed', finishReason: 'aborted' }),
    true,
    facts,
    ['failed 1 1', 2],
  ],
  [
    'take over',
    'COMMIT',
    release,
    async () => (await runs.takeOver('r1', { expectedVersion: 1 })).attempt,
    2,
    facts,
    ['running 2 1', 1],
  ],
  [
    'begin a queued run',
    undefined,
    enqueue,
    async () => (await runs.takeOver('r1', beginning)).attempt,
    1,
    facts,
    ['running 1 1', 1],
  ],
  [
    'begin',
    'COMMIT',
    nothing,
    () => store.begin(key, { runId: 'r1', expectedVersion: 0, input: [] }),
    undefined,
    facts,
    ['running 1 0', 1],
  ],
  ['end a turn', 'COMMIT', begin, () => store.end('r1', 'waiting'), undefined, facts, ['waiting 1 1', 2]],
  [
    'reserve a key',
    'COMMIT',
    nothing,
    () => runs.answers.reserve(request),
    undefined,
    () => runs.answers.reserve(request),
    { fingerprint: 'f' },
  ],
  [
    'enqueue',
    'COMMIT',
    nothing,
    () => background.enqueue([queued('r1')], bounds),
    [{ runId: 'r1', isNew: true }],
    facts,
    ['queued 0 0', 0],
  ],
  ['retry', 'COMMIT', fail, () => background.retry('r1'), undefined, facts, ['queued 1 1', 2]],
  [
    'delegate',
    'COMMIT',
    work,
    () => background.delegate('r1', { attempt: 1, members: [member] }),
    undefined,
    membersOf,
    ['queued', true],
  ],
  [
    'share a budget',
    undefined,
    begin,
    () => background.setSharedBudget('r1', 0, { used: 1 }),
    true,
    () => background.sharedBudget('r1'),
    { version: 1, value: { used: 1 } },
  ],
  [
    'move a schedule',
    'COMMIT',
    nothing,
    () => background.moveSchedule(due, { nextAt: 6_000, run: queued('r1') }),
    true,
    facts,
    ['queued 0 0', 0],
  ],
])('does %s once', async (_name, request, prepare, write, result, read, expected) => {
  await prepare()
  // The connection is open.
  await runs.read('none')
  proxy.loseAnswer(request)
  expect(await write()).toEqual(result)
  expect(proxy.lost).toBe(1)
  expect(await read()).toEqual(expected)
})

it('lets the run be continued after a write whose answer was lost', async () => {
  await begin()
  await runs.read('none')
  proxy.loseAnswer()
  await runs.append('r1', { attempt: 1, messages: [user('2')] })
  await runs.append('r1', { attempt: 1, messages: [user('3')] })
  await runs.end('r1', { attempt: 1, ...done })
  expect((await store.find('r1'))?.messages).toEqual([user('r1'), user('2'), user('3')])
})

it('lets one of two equal requests be new where the answer to the commit of its key is late', async () => {
  const two = postgresSessions(proxy.urlOf(url), { poolSize: 2, queue: unusedQueue })
  try {
    await two.runs?.read('none')
    const pass = proxy.keepAnswer('COMMIT')
    const both = [two.runs?.answers.reserve(request), two.runs?.answers.reserve(request)]
    await Promise.race(both)
    pass()
    const known = await Promise.all(both)
    expect(known.filter((answer) => answer === undefined)).toHaveLength(1)
    expect(known).toContainEqual({ fingerprint: 'f' })
  } finally {
    await two.close()
  }
})

const request = { scope: 'helper ann', key: 'k', fingerprint: 'f' }
const times = { cron: '0 7 * * *', timeZone: 'UTC', missed: 'skip' } as const
const schedule = { agentId: 'helper', name: 'digest', ...times, userId: 'ann', entry: {} }
const due = { agentId: 'helper', name: 'digest', expectedNextAt: 5_000 }
const beginning = { expectedVersion: 0, begin: { messages: [user('r1')] } }
const member: MemberRunEntry = { runId: 'm', key: { ...key, agentId: 'helper:run', sessionId: 'm' }, options: {} }

async function nothing(): Promise<void> {}

async function begin(): Promise<void> {
  await runs.create(key, newRun('r1'))
}

async function suspend(): Promise<void> {
  await begin()
  await runs.suspend('r1', { attempt: 1, approvals: [approval] })
}

async function release(): Promise<void> {
  await begin()
  await runs.release('r1', 1)
}

async function fail(): Promise<void> {
  await begin()
  await runs.end('r1', { attempt: 1, status: 'failed', finishReason: 'error' })
}

async function enqueue(): Promise<void> {
  await background.enqueue([queued('r1')], bounds)
}

async function work(): Promise<void> {
  await enqueue()
  await runs.takeOver('r1', beginning)
}

/** Status, attempt and number of messages of the run, and the version of its session. */
async function facts(): Promise<unknown> {
  const run = await runs.read('r1')
  const count = (await store.find('r1'))?.messages.length ?? 0
  return [`${run?.record.status} ${run?.attempt} ${count}`, (await store.load(key))?.version]
}

async function membersOf(): Promise<unknown> {
  return [(await runs.read('m'))?.record.status, (await runs.read('r1'))?.awaitsMembers]
}

function newRun(runId: string): Parameters<RunStore['create']>[1] {
  return { runId, agentId: 'helper', expectedVersion: 0, input: [user(runId)], isResumable: true, keepsEvents: true }
}

function queued(runId: string): QueuedRunEntry {
  return { key, runId, agentId: 'helper', options: {}, title: runId, onBusy: 'queue', notifies: true }
}

function user(content: string): Message {
  return { v: 1, role: 'user', content }
}

function event(seq: number): AgentEvent {
  return { type: 'text-delta', text: 'é', seq, runId: 'r1', path: ['helper'] }
}
