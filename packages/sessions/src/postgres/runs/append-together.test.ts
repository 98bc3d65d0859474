import type { Message, RunEntry, RunStore } from '@agentkit/core'
import { testDatabase } from '@agentkit/test-postgres'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { queryAt } from '../__fixtures__/query-at.ts'
import { type TCPProxy, tcpProxy } from '../__fixtures__/tcp-proxy.ts'
import { unusedQueue } from '../__fixtures__/unused-queue.ts'
import { postgresSessions } from '../postgres-sessions.ts'

let url: string
let proxy: TCPProxy
let closing: (() => Promise<void>)[]
beforeEach(async () => {
  url = await testDatabase()
  proxy = await tcpProxy(url)
  closing = [proxy.close]
})
afterEach(async () => {
  for (const close of closing.reverse()) await close()
})

it('stores the messages that are appended in one turn by one statement, as if each were stored alone', async () => {
  const [together, alone] = [open(), open('alone')]
  for (const [store, schema] of [[together, 'agentkit'] as const, [alone, 'alone'] as const]) {
    await create(store)
    await queryAt(url, `UPDATE ${schema}.runs SET takeovers = 2, usage = '{}', progress = '{}'`)
  }
  const entries = runIds.map((runId) => [runId, entryOf(runId)] as const)
  await Promise.all(entries.map(([runId, entry]) => together.append(runId, entry)))
  for (const [runId, entry] of entries) await alone.append(runId, entry)
  expect(await statements('agentkit')).toBe(1)
  expect(await statements('alone')).toBe(runIds.length - 1)
  expect(await tables('agentkit')).toEqual(await tables('alone'))

  // One of what they have, and a state.
  const others = runIds.map((runId, index) => {
    const state = index === 2 ? { state: { open: 1 } } : {}
    return [runId, { attempt: 1, position: 1, messages: [user('again')], ...state }] as const
  })
  await Promise.all(others.map(([runId, entry]) => together.append(runId, entry)))
  for (const [runId, entry] of others) await alone.append(runId, entry)
  expect(await tables('agentkit')).toEqual(await tables('alone'))
})

it('refuses those that cannot be stored, each for its reason, and stores the others', async () => {
  const store = open()
  await create(store)
  const changed = ['status = $$waiting$$', 'holder = NULL', 'attempt = 2']
  for (const [index, change] of changed.entries()) {
    await queryAt(url, `UPDATE agentkit.runs SET ${change} WHERE run_id = 'r${index}'`)
  }
  const outcomes = await Promise.allSettled([
    ...runIds.slice(0, 3).map((runId) => store.append(runId, entryOf(runId))),
    store.append('r3', { ...entryOf('r3'), position: 7 }),
    store.append('r\0', entryOf('r\0')),
  ])
  expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.message : outcome.status))).toEqual([
    'The run r0 does not hold its session (any more).',
    'The run r1 does not hold its session (any more).',
    'The run r2 does not hold its session (any more).',
    'The run has 1 messages; none can follow a missing one.',
    'fulfilled',
  ])
  expect(await counts()).toEqual([1, 1, 1, 1, 3])
})

it('notifies those who watch the runs', async () => {
  const store = open()
  await create(store)
  const notified: string[] = []
  for (const runId of runIds) store.watch(runId, () => notified.push(runId))
  await Promise.all(runIds.map((runId) => store.append(runId, entryOf(runId))))
  expect(notified).toEqual(expect.arrayContaining(runIds))
})

it('stores the others when Postgres refuses a value of one', async () => {
  const store = open()
  await create(store)
  const outcomes = await Promise.allSettled([
    store.append('r0', entryOf('r0')),
    store.append('r3', { ...entryOf('r3'), position: 2 ** 40 }),
    store.append('r2', entryOf('r2')),
  ])
  expect(outcomes).toEqual([
    { status: 'fulfilled', value: undefined },
    { status: 'rejected', reason: expect.objectContaining({ code: 'storage' }) },
    { status: 'fulfilled', value: undefined },
  ])
  expect(await counts()).toEqual([3, 1, 3, 1, 1])
})

it('stores nothing twice when the answer was lost', async () => {
  const store = open('agentkit', proxy.urlOf(url))
  await create(store)
  proxy.loseAnswer('WITH ORDINALITY')
  const append = (runId: string): Promise<void> => store.append(runId, entryOf(runId))
  await Promise.all(runIds.map(append))
  expect(proxy.lost).toBe(1)
  await Promise.all(runIds.map((runId) => store.append(runId, { attempt: 1, messages: [user('more')] })))
  expect(await counts()).toEqual([4, 2, 4, 4, 4])
  expect((await store.events('r0', 0, 10)).map(({ seq }) => seq)).toEqual([1, 2])
})

it('stores an entry of a run with members beside others', async () => {
  const store = open()
  const { background } = store
  if (!background) throw new Error('The store has a queue.')
  const entry = { key: keyOf('r0'), runId: 'r0', agentId: 'helper', options: {}, title: 'r0', onBusy: 'queue' } as const
  await background.enqueue([entry], { queued: 10, userQueued: 10 })
  await store.takeOver('r0', { expectedVersion: 0, begin: { messages: [user('r0')] } })
  const member = { runId: 'm', key: { ...keyOf('m'), agentId: 'helper:run' }, options: {} }
  await background.delegate('r0', { attempt: 1, members: [member] })
  await store.cancel('m', { status: 'failed', finishReason: 'aborted' })
  const { attempt } = await store.takeOver('r0', { expectedVersion: 1 })
  await store.create(keyOf('r1'), newRun('r1'))
  await Promise.all([store.append('r0', { ...entryOf('r0'), attempt }), store.append('r1', entryOf('r3'))])
  expect(await counts()).toEqual([3, 3])
  // The events of the run are numbered like events of a tree.
  expect(await numbers('SELECT own_seq::int FROM agentkit.runs WHERE root IS NULL ORDER BY number')).toEqual([2, 0])
})

it('bounds a statement by its characters', async () => {
  const store = open()
  await create(store)
  const messages = [user('x'.repeat(400_000))]
  await Promise.all(runIds.slice(0, 4).map((runId) => store.append(runId, { attempt: 1, messages })))
  expect(await statements('agentkit')).toBe(2)
})

const runIds = ['r0', 'r1', 'r2', 'r3', 'r\0']

function open(schema = 'agentkit', at = url): RunStore {
  const store = postgresSessions(at, { schema, queue: unusedQueue, heartbeatMs: 600_000, staleAfterMs: 600_000 })
  closing.push(store.close)
  if (!store.runs) throw new Error('The store has runs.')
  return store.runs
}

/** Entries that differ in what they have. */
function entryOf(runId: string): RunEntry {
  const place = runIds.indexOf(runId)
  return {
    attempt: 1,
    messages: [user(`${runId} a`), user(`${runId} b`)].slice(place === 1 ? 2 : 0),
    ...(place % 2 === 0 && { usage: { [`${place}`]: { inputTokens: place, outputTokens: 1 } } as never }),
    ...(place % 3 === 0 && { progress: { steps: place } as never }),
    calls: [{ callId: `${runId} call`, name: 'pay\0', startedAt: 5 }].slice(place === 2 ? 1 : 0),
    events: [1, 2].map((seq) => ({ type: 'text-delta', text: runId, seq, runId, path: ['helper'] })),
  }
}

async function create(store: RunStore): Promise<void> {
  for (const runId of runIds) await store.create(keyOf(runId), newRun(runId))
}

function keyOf(sessionId: string) {
  return { agentId: 'helper', userId: 'ann', sessionId }
}

function newRun(runId: string): Parameters<RunStore['create']>[1] {
  const input = [user(runId)]
  return { runId, agentId: 'helper', expectedVersion: 0, input, isResumable: true, keepsEvents: runId !== 'r2' }
}

function user(content: string): Message {
  return { v: 1, role: 'user', content }
}

/** How many messages the runs have, in their order. */
async function counts(): Promise<unknown[]> {
  const text = `SELECT (SELECT count(*)::int FROM agentkit.messages WHERE run = number) AS count
    FROM agentkit.runs WHERE root IS NULL ORDER BY number`
  return numbers(text)
}

/** How many transactions have stored the messages that follow the first ones. */
async function statements(schema: string): Promise<unknown> {
  const text = `SELECT count(DISTINCT xmin::text)::int AS count FROM ${schema}.messages WHERE position > 0`
  return (await numbers(text))[0]
}

async function numbers(text: string): Promise<unknown[]> {
  return (await queryAt(url, text)).map((row) => Object.values(row as object)[0])
}

async function tables(schema: string): Promise<unknown[]> {
  const texts = [
    `SELECT number, run_id, status, attempt, takeovers, message_count, usage, progress FROM ${schema}.runs ORDER BY number`,
    `SELECT * FROM ${schema}.messages ORDER BY run, position`,
    `SELECT run, call_id, name, started_at FROM ${schema}.calls ORDER BY run`,
    `SELECT * FROM ${schema}.events ORDER BY run, seq`,
    `SELECT session_id, version, state FROM ${schema}.sessions ORDER BY id`,
  ]
  const rows: unknown[] = []
  for (const text of texts) rows.push(await queryAt(url, text))
  return rows
}
