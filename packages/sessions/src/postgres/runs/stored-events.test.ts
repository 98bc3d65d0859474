import { testDatabase } from '@agentkit/test-postgres'
import { expect, it } from 'vitest'
import { queryAt } from '../__fixtures__/query-at.ts'
import { mostRowsRead } from '../__fixtures__/rows-read.ts'
import { postgresSessions } from '../postgres-sessions.ts'
import { readStoredRun } from './run-rows.ts'
import { readEventRange, readEvents } from './stored-events.ts'

it('finds the first and the last event of a run, and of a member, without those between', async () => {
  const url = await testDatabase()
  const store = postgresSessions(url)
  const key = { agentId: 'helper', userId: 'ann' }
  for (const runId of ['whole', 'member', 'none'])
    await store.begin({ ...key, sessionId: runId }, { runId, expectedVersion: 0, input: [] })
  const numberOf = (runId: string): string => `(SELECT number FROM agentkit.runs WHERE run_id = '${runId}')`
  await queryAt(
    url,
    `UPDATE agentkit.runs SET root = ${numberOf('whole')} WHERE run_id = 'member';
    INSERT INTO agentkit.events (run, member, seq, body)
      SELECT ${numberOf('whole')}, CASE WHEN seq BETWEEN 1001 AND 5000 THEN ${numberOf('member')} END, seq, '{}'
      FROM generate_series(3, 6000) AS seq;
    ANALYZE`,
  )
  expect(await store.runs?.eventRange('whole')).toEqual({ oldest: 3, last: 6000 })
  expect(await store.runs?.eventRange('member')).toEqual({ oldest: 1001, last: 5000 })
  expect(await store.runs?.eventRange('none')).toBeUndefined()
  expect(await store.runs?.eventRange('unknown')).toBeUndefined()
  expect(await store.runs?.read('whole')).toMatchObject({ lastSeq: 6000 })
  expect(await store.runs?.read('member')).toMatchObject({ lastSeq: 5000 })
  for (const runId of ['whole', 'member']) {
    expect(await mostRowsRead(url, (query) => readEventRange(query, runId))).toBeLessThan(20)
    expect(await mostRowsRead(url, (query) => readStoredRun(query, runId))).toBeLessThan(50)
    expect(await mostRowsRead(url, (query) => readEvents(query, runId, 4_500, 10))).toBeLessThan(50)
  }
  await store.close()
})
