/**
 * Tokens of one model call, or of a run. What the provider does not report is `undefined`, never 0.
 * `inputTokens` includes cache reads and writes; `outputTokens` includes reasoning.
 */
export type Usage = {
  inputTokens?: number
  outputTokens?: number
  cachedInputTokens?: number
  cacheWriteTokens?: number
  reasoningTokens?: number
  totalTokens?: number
  /** Partly estimated, on the high side: the provider reported no usage, or the call ended before it did. */
  estimated?: true
}

/** The cost of a run in US dollars; `estimated` if its usage is. */
export type Cost = { usd: number; estimated?: boolean }

const fields = [
  'inputTokens',
  'outputTokens',
  'cachedInputTokens',
  'cacheWriteTokens',
  'reasoningTokens',
  'totalTokens',
] as const

/** The usage that a model reported, without impossible values: any code can implement a Model. */
export function reportedUsage(usage: Usage): Usage {
  const reported: Usage = {}
  for (const field of fields) {
    const tokens: unknown = usage[field]
    if (typeof tokens === 'number' && tokens >= 0 && tokens < Number.POSITIVE_INFINITY) reported[field] = tokens
  }
  if (usage.estimated) reported.estimated = true
  // Every call has input: some servers report zeros instead of nothing.
  if (reported.inputTokens !== 0) return reported
  const { inputTokens: _input, totalTokens: _total, outputTokens, ...rest } = reported
  return outputTokens ? { ...rest, outputTokens } : rest
}

/** The sum of two usages, field by field; a field that neither has stays absent. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: Usage = {}
  for (const field of fields) {
    const left = a[field]
    const right = b[field]
    if (left !== undefined || right !== undefined) sum[field] = (left ?? 0) + (right ?? 0)
  }
  if (a.estimated || b.estimated) sum.estimated = true
  return sum
}

/** All tokens of a usage: the larger figure, if a provider's total and its parts differ. */
export function tokensOf({ inputTokens = 0, outputTokens = 0, totalTokens = 0 }: Usage): number {
  return Math.max(inputTokens + outputTokens, totalTokens)
}

type PricedCalls = { usage: Usage; usd: number; priced?: boolean; unpriced: boolean; modelCalls: number }

/** @returns `undefined` where no model was called, or one without a price */
export function costOfSpent({ usage, usd, priced, unpriced, modelCalls }: PricedCalls): Cost | undefined {
  if (unpriced || modelCalls === 0) return undefined
  // Calls that failed have used nothing, whatever it costs. Runs that were stored by an earlier version do not have `priced`.
  if (!priced && tokensOf(usage) === 0) return undefined
  return usage.estimated ? { usd, estimated: true } : { usd }
}
