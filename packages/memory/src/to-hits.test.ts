import type { RememberedTurn } from '@agentkit/core'
import { expect, it } from 'vitest'
import { toHits } from './to-hits.ts'

function turnOf(text: string): RememberedTurn {
  return { id: 1, sessionId: 's1', runId: 'r1', at: 0, messages: [{ role: 'user', text }] }
}

it('reads long runs of marks in linear time', () => {
  const startedAt = performance.now()
  const found = Array.from({ length: 20 }, () => ({ turns: [turnOf(`${'.'.repeat(19_000)}x`)], score: 1 }))
  expect(toHits('harbour', found)).toHaveLength(20)
  // Linear reading takes some milliseconds; quadratic reading of so much takes ten seconds and more.
  expect(performance.now() - startedAt).toBeLessThan(3_000)
})
