/**
 * Tokens of one model call, or of a run. What the provider does not tell is `undefined`, never 0.
 * `inputTokens` includes cache reads and writes; `outputTokens` includes reasoning.
 */
export type Usage = {
  inputTokens?: number
  outputTokens?: number
  cachedInputTokens?: number
  cacheWriteTokens?: number
  reasoningTokens?: number
  totalTokens?: number
  /** Some of it is estimated, on the high side: a provider told no usage, or the call ended before it could. */
  estimated?: true
}

/** What a run cost, in US dollars; `estimated` where its usage is. */
export type Cost = { usd: number; estimated?: boolean }

const fields = [
  'inputTokens',
  'outputTokens',
  'cachedInputTokens',
  'cacheWriteTokens',
  'reasoningTokens',
  'totalTokens',
] as const

/** What was told of a call, without what cannot be: a Model is anybody's code. */
export function toldUsage(usage: Usage): Usage {
  const told: Usage = {}
  for (const field of fields) {
    const tokens: unknown = usage[field]
    if (typeof tokens === 'number' && tokens >= 0 && tokens < Number.POSITIVE_INFINITY) told[field] = tokens
  }
  if (usage.estimated) told.estimated = true
  // No call is without input: some servers tell zeros instead of nothing.
  if (told.inputTokens !== 0) return told
  const { inputTokens: _input, totalTokens: _total, outputTokens, ...rest } = told
  return outputTokens ? { ...rest, outputTokens } : rest
}

/** The sum of two usages, field by field; a field that neither tells stays absent. */
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

/** All tokens of a usage, where a provider tells a total and its parts differently the larger figure. */
export function tokensOf({ inputTokens = 0, outputTokens = 0, totalTokens = 0 }: Usage): number {
  return Math.max(inputTokens + outputTokens, totalTokens)
}
