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
}

/** What a run cost, in US dollars; `estimated` where a provider told no usage. */
export type Cost = { usd: number; estimated?: boolean }

const fields = [
  'inputTokens',
  'outputTokens',
  'cachedInputTokens',
  'cacheWriteTokens',
  'reasoningTokens',
  'totalTokens',
] as const

/** The sum of two usages, field by field; a field that neither tells stays absent. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: Usage = {}
  for (const field of fields) {
    const left = a[field]
    const right = b[field]
    if (left !== undefined || right !== undefined) sum[field] = (left ?? 0) + (right ?? 0)
  }
  return sum
}
