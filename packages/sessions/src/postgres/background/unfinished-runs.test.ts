import { testDatabase } from '@agentkit/test-postgres'
import { expect, it } from 'vitest'
import { queryAt } from '../__fixtures__/query-at.ts'
import { mostRowsRead } from '../__fixtures__/rows-read.ts'
import { unusedQueue } from '../__fixtures__/unused-queue.ts'
import type { Access } from '../database/access.ts'
import type { Query } from '../database/database.ts'
import type { Holder } from '../database/holder.ts'
import { postgresSessions } from '../postgres-sessions.ts'
import { storedSchedules } from './schedules.ts'
import { unfinishedRuns } from './unfinished-runs.ts'

it('reads few of many queued, waiting and scheduled runs to find those that are unfinished, expired or due', async () => {
  const url = await testDatabase()
  const store = postgresSessions(url, { queue: unusedQueue })
  const { background } = store.runs ?? {}
  await store.list({ agentId: 'helper', userId: 'ann' })
  const columns =
    'run_id, session, agent_id, user_id, status, holds_session, attempt, is_background, created_at, ready_at'
  const runs = (from: number, to: number, agent: string, status: string): string =>
    `INSERT INTO agentkit.runs (${columns}, waiting_since) SELECT 'r' || n, 1, '${agent}', 'ann', '${status}', false, 1, true, n, n, n
      FROM generate_series(${from}, ${to}) AS n`
  await queryAt(
    url,
    `INSERT INTO agentkit.sessions (key, agent_id, user_id, session_id, created_at, updated_at) VALUES ('k', 'helper', 'ann', 's', 1, 1);
    ${runs(1, 9_000, 'batch', 'queued')}; ${runs(9_001, 9_002, 'helper', 'queued')};
    ${runs(10_001, 19_000, 'batch', 'waiting')}; ${runs(19_001, 19_002, 'helper', 'waiting')};
    INSERT INTO agentkit.schedules (agent_id, name, body, next_at) SELECT 'helper', 'n' || n, '{}', n
      FROM generate_series(1, 3000) AS n`,
  )
  await queryAt(url, 'VACUUM ANALYZE')

  const unfinished = await background?.unfinished(['helper'], { limit: 10 })
  expect(unfinished?.map(({ runId }) => runId)).toEqual(['r9001', 'r9002'])
  expect(await store.runs?.expired(['helper'], 99_999)).toEqual(['r19001', 'r19002'])
  expect((await background?.schedules({ agentIds: ['helper'], dueBefore: 2 }))?.map(({ name }) => name)).toEqual([
    'n1',
    'n2',
  ])
  expect(await background?.schedules({ dueBefore: 2 })).toHaveLength(2)
  expect(await background?.schedules({ agentIds: ['other'], dueBefore: 2 })).toEqual([])
  const counts = await background?.counts()
  expect(counts?.map(({ agentId, queued, oldestQueuedAt }) => [agentId, queued, oldestQueuedAt]).sort()).toEqual([
    ['batch', 9_000, 1],
    ['helper', 2, 9_001],
  ])

  const holder = { id: 'h', isAlive: 'false' } as Holder // the parts that the statement uses
  const read = (work: (query: Query) => Promise<unknown>): Promise<number> => mostRowsRead(url, work)
  expect(await read((query) => unfinishedRuns(query, holder, ['helper'], { limit: 10 }))).toBeLessThan(100)
  const access = (query: Query): Access => ({ database: { query } }) as unknown as Access // the part that `schedules` uses
  expect(
    await read((query) => storedSchedules(access(query)).schedules({ agentIds: ['helper'], dueBefore: 2 })),
  ).toBeLessThan(100)
  await store.close()
})
