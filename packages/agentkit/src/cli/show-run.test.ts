import type { StoredRun } from '@agentkit/core'
import { expect, it } from 'vitest'
import { runLines } from './show-run.ts'

it.each([
  [0.1 + 0.2, '0.3 USD'],
  [0.00035999999999999997, '0.00036 USD'],
  [12.3456, '12.3456 USD'],
])('shows the cost %d as %s', (usd, shown) => {
  const record = {
    ...{ runId: 'run_1', agentId: 'clerk', userId: 'ann', status: 'done', attempts: 1, isResumable: false },
    ...{ createdAt: '2026-11-30T00:00:00.000Z', cost: { usd, estimated: false } },
  }
  // The fields that are shown.
  const stored = { record, approvals: [] } as unknown as StoredRun
  expect(runLines(stored, [])).toContain(`cost      ${shown}`)
})

it('shows no tokens and no cost of a run that no model has answered', () => {
  const record = {
    ...{ runId: 'run_1', agentId: 'clerk', userId: 'ann', status: 'failed', attempts: 1, isResumable: false },
    ...{ createdAt: '2026-11-30T00:00:00.000Z', usage: {}, cost: { usd: 0, estimated: false } },
  }
  // The fields that are shown.
  const lines = runLines({ record, approvals: [] } as unknown as StoredRun, [])
  expect(lines.filter((line) => /^(tokens|cost)/.test(line))).toEqual([])
})
