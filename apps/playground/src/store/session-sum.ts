import type { SessionSum } from '../run/format.ts'
import type { ShownTurn } from './turn.ts'

export function sumOf(turns: readonly ShownTurn[]): SessionSum {
  const sum: SessionSum = { tokens: 0, isEstimated: false, usd: 0, priced: 0, unpriced: 0 }
  for (const turn of turns) {
    turn.version.value // read again when the run continues
    const { end } = turn.view
    if (!end) continue
    const { inputTokens = 0, outputTokens = 0, totalTokens = 0, estimated } = end.usage
    const tokens = Math.max(inputTokens + outputTokens, totalTokens)
    // The usage of a failed call is unknown, which is not 0.
    if (tokens === 0 && !end.cost?.usd) continue
    sum.tokens += tokens
    if (estimated || end.cost?.estimated) sum.isEstimated = true
    if (end.cost) {
      sum.usd += end.cost.usd
      sum.priced++
    } else sum.unpriced++
  }
  return sum
}
