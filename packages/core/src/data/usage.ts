/** Tokens of one model call, or of a run. A field that the provider does not report is absent, never 0. */
export type Usage = {
  /** Tokens of the prompt, including those that were read from a cache or written to it. */
  inputTokens?: number
  /** Tokens of the answer, including those of reasoning. */
  outputTokens?: number
  /** The part of `inputTokens` that was read from a cache. */
  cachedInputTokens?: number
  /** The part of `inputTokens` that was written to a cache. */
  cacheWriteTokens?: number
  /** The part of `outputTokens` that was spent on reasoning. */
  reasoningTokens?: number
  /** All tokens, as the provider counts them. */
  totalTokens?: number
  /** Partly estimated, on the high side: the provider reported no usage, or the call ended before it did. */
  estimated?: true
}

/** The cost of a model call or of a run. */
export type Cost = {
  /** US dollars. */
  usd: number
  /** Whether it was calculated from an estimated usage. */
  estimated?: boolean
}

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
