import type { SessionStore } from '@agentkit/core'
import { testDatabase } from '@agentkit/test-postgres'
import { expect, it } from 'vitest'
import { queryAt } from '../__fixtures__/query-at.ts'
import { mostRowsRead } from '../__fixtures__/rows-read.ts'
import { postgresSessions } from '../postgres-sessions.ts'
import { listRuns } from './list-runs.ts'

const ann = { agentId: 'helper', userId: 'ann' }

const sessionId = 's1'
const runs = (from: number, to: number, user: string, status = 'done'): string =>
  `INSERT INTO agentkit.runs (run_id, session, agent_id, user_id, status, created_at, started_at, ended_at)
    SELECT 'r' || number, 1, 'helper', '${user}', '${status}', number, number, number
    FROM generate_series(${from}, ${to}) AS number`

async function storeWith(statements: string): Promise<{ url: string; store: SessionStore }> {
  const url = await testDatabase()
  const store = postgresSessions(url)
  const input = [{ v: 1 as const, role: 'user' as const, content: 'Hello' }]
  await store.begin({ ...ann, sessionId }, { runId: 'first', expectedVersion: 0, input })
  await store.end('first', 'done')
  await queryAt(url, `${statements}; ANALYZE`)
  return { url, store }
}

/** The most rows that one of these lists reads. */
const rowsRead = (url: string, lists: readonly Parameters<typeof listRuns>[1][], filter: object): Promise<number> =>
  mostRowsRead(url, async (query) => {
    for (const owner of lists) await listRuns(query, owner, { limit: 50, ...filter })
  })

it('reads the runs of a user alone, also those of one who has no new runs among many', async () => {
  const { url, store } = await storeWith(`${runs(1, 3_000, 'ann')}; ${runs(3_001, 9_000, 'bob')}`)
  expect(await rowsRead(url, [ann], {})).toBeLessThan(500)
  expect(await store.runs?.list(ann, { limit: 2 })).toMatchObject([{ runId: 'r3000' }, { runId: 'r2999' }])
  expect(await store.runs?.list(ann, { sessionId, limit: 2, after: 'r1' })).toMatchObject([{ runId: 'first' }])
  expect(await store.runs?.list({ ...ann, userId: 'bob' }, { sessionId, limit: 2 })).toEqual([])
  await store.close()
})

it('reads few of many runs to list those that have failed', async () => {
  const failed = [runs(1, 1, 'ann', 'failed'), runs(2, 2, 'bob', 'failed')]
  const { url, store } = await storeWith(`${failed.join(';')}; ${runs(3, 9_000, 'ann')}`)
  expect(await rowsRead(url, [ann, { agentId: 'helper' }], { status: 'failed' })).toBeLessThan(500)
  expect(await store.runs?.list(ann, { status: 'failed', limit: 9 })).toMatchObject([{ runId: 'r1' }])
  const ofAll = await store.runs?.list({ agentId: 'helper' }, { status: 'failed', limit: 9 })
  expect(ofAll).toMatchObject([{ runId: 'r2' }, { runId: 'r1' }])
  await store.close()
})

it('reads few of many queued or failed runs to list those that are done', async () => {
  const { url, store } = await storeWith(`${runs(1, 1, 'ann')}; ${runs(2, 2, 'bob')};
    ${runs(3, 9_000, 'ann', 'failed')}; ${runs(9_001, 12_000, 'bob', 'queued')}`)
  const lists = [ann, { agentId: 'helper' }, { ...ann, userId: 'eve' }, { agentId: 'other' }]
  expect(await rowsRead(url, lists, { status: 'done' })).toBeLessThan(100)
  const idsOf = async (owner: Parameters<typeof listRuns>[1]): Promise<unknown[]> =>
    (await store.runs?.list(owner, { status: 'done', limit: 9 }))?.map(({ runId }) => runId) ?? []
  expect(await idsOf(ann)).toEqual(['r1', 'first'])
  expect(await idsOf({ agentId: 'helper' })).toEqual(['r2', 'r1', 'first'])
  await store.close()
})

it('reads few of many queued runs to list those that run or wait, or are of an agent or a user without', async () => {
  const open = (from: number, to: number, user: string, status: string): string =>
    runs(from, to, user, status).replace('number, number, number', 'number, number, NULL')
  const { url, store } = await storeWith(`${open(1, 9_000, 'ann', 'queued')}; ${open(9_001, 9_001, 'ann', 'waiting')};
    ${open(9_002, 9_002, 'ann', 'running')}; UPDATE agentkit.runs SET holds_session = false WHERE ended_at IS NULL;
    ${open(9_003, 9_003, 'ann', 'running')}`)
  const lists = [ann, { agentId: 'helper' }, { ...ann, userId: 'bob' }, { agentId: 'other' }]
  for (const status of ['waiting', 'running']) expect(await rowsRead(url, lists, { status })).toBeLessThan(100)
  expect(await rowsRead(url, lists, { status: 'queued' })).toBeLessThan(200)
  expect(await rowsRead(url, [{ agentId: 'other' }], {})).toBeLessThan(10)
  for (const owner of [ann, { agentId: 'helper' }]) {
    const idsOf = async (status: 'waiting' | 'running' | 'queued'): Promise<unknown[]> =>
      (await store.runs?.list(owner, { status, limit: 2 }))?.map(({ runId }) => runId) ?? []
    expect(await idsOf('waiting')).toEqual(['r9001'])
    expect(await idsOf('running')).toEqual(['r9003', 'r9002'])
    expect(await idsOf('queued')).toEqual(['r9000', 'r8999'])
  }
  const orphans = await store.runs?.orphans(['helper'])
  expect(orphans?.map(({ runId }) => runId)).toEqual(['r9002', 'r9003'])
  expect(await store.runs?.agents?.()).toEqual(['helper'])
  await store.close()
})
