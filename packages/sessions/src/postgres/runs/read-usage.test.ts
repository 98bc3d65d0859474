import { testDatabase } from '@agentkit/test-postgres'
import { expect, it } from 'vitest'
import { queryAt } from '../__fixtures__/query-at.ts'
import { postgresSessions } from '../postgres-sessions.ts'

it('sums every form of a number, and counts a damaged value as none', async () => {
  const url = await testDatabase()
  const store = postgresSessions(url)
  const key = { agentId: 'helper', userId: 'ann' }
  const stored = [
    ['{"inputTokens":10,"outputTokens":2,"totalTokens":12}', '{"usd":1e-7,"estimated":true}'],
    ['{"totalTokens":3,"outputTokens":1e+21,"inputTokens":2.5}', '{"usd":0.5}'],
    ['{"cachedInputTokens":7,"inputTokens":4,"estimated":true}', '{"usd":1.5e-7}'],
    ['{"inputTokens":', '{"usd":1.'],
    ['{"inputTokens":null,"outputTokens":"5"}', '{"usd":-1}'],
    ['{"inputTok', ''],
  ]
  for (const [index, [usage, cost]] of stored.entries()) {
    const runId = `r${index}`
    await store.begin({ ...key, sessionId: runId }, { runId, expectedVersion: 0, input: [] })
    await store.end(runId, 'done')
    await queryAt(url, `UPDATE agentkit.runs SET usage = '${usage}', cost = '${cost}' WHERE run_id = '${runId}'`)
  }
  const [row, ...others] = (await store.runs?.usage?.(key, { by: 'day', runs: 100, limit: 100 })) ?? []
  expect(row).toMatchObject({ runs: 6, inputTokens: 16.5, outputTokens: 1e21 + 2 })
  expect(row?.usd).toBeCloseTo(0.50000025, 12)
  expect(others).toEqual([])
  await store.close()
})
