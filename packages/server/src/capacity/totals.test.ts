import { expect, it } from 'vitest'
import { createTotals } from './totals.ts'

it('counts a run once that is executed in parts, and what each of them used', () => {
  const totals = createTotals()
  totals.countRun({ usage: { inputTokens: 3, outputTokens: 1 }, cost: { usd: 0.5 } }, false)
  totals.countRun({ usage: { inputTokens: 4, outputTokens: 2 }, cost: { usd: 0.25 } })
  expect(totals.spent).toEqual({ runs: 1, inputTokens: 7, outputTokens: 3, usd: 0.75 })
})
