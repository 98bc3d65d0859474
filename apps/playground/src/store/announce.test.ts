import { expect, it, vi } from 'vitest'
import { announcement, announceTurn } from './announce.ts'
import { newTurn } from './turn.ts'

// The texts need a page.
vi.mock('../text/t.ts', () => ({ t: (name: string) => name }))

/** The announcement of an answer that arrived in one piece. */
function announced(text: string): string {
  const turn = newTurn('Why?', { keepsEvents: false })
  turn.isSending.value = false
  Object.assign(turn.view, {
    isOpen: false,
    end: { type: 'run-end', seq: 1, runId: 'r', path: ['a'], finishReason: 'stop', text, usage: {} },
  })
  announceTurn(turn)
  return announcement.value
}

it('reads an answer without its marks and addresses', () => {
  expect(announced('**See** [the guide](https://example.com/a).')).toMatch(/^See the guide \.? ?/)
})

it('reads a hostile answer in linear time', () => {
  const startedAt = performance.now()
  expect(announced(']('.repeat(50_000))).toMatch(/…/)
  // Linear code takes some milliseconds, quadratic code half a minute.
  expect(performance.now() - startedAt).toBeLessThan(4_000)
})
