import type { RememberedTurn } from '@agentkit/core'
import { expect, it, vi } from 'vitest'
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

it('copies no list of the parts for each part of a text', () => {
  const { slice } = Array.prototype
  let items = 0
  vi.spyOn(Array.prototype, 'slice').mockImplementation(function (this: unknown[], from, to) {
    const part = slice.call(this, from, to)
    items += part.length
    return part
  })
  const hits = toHits('harbour', [{ turns: [turnOf('12\n'.repeat(6_000))], score: 1 }])
  vi.restoreAllMocks()
  expect(hits).toHaveLength(1)
  expect(items).toBeLessThan(100_000)
})
