import type { Usage } from '@agentkit/core'
import { isRecord } from '../util/json.ts'

/**
 * Merges usage in the wording of either OpenAI API into earlier usage. The last report counts, but a later null or zero
 * erases nothing. Fields that are never reported stay absent. Cached tokens are in fields of their own with DeepSeek,
 * Mistral and Moonshot, and LiteLLM has another name for tokens that are written to the cache.
 */
export function mergeUsage(usage: Usage, reported: unknown): Usage {
  if (!isRecord(reported)) return usage
  const input = isRecord(reported.input_tokens_details) ? reported.input_tokens_details : reported.prompt_tokens_details
  const output = isRecord(reported.output_tokens_details)
    ? reported.output_tokens_details
    : reported.completion_tokens_details
  const merged = { ...usage }
  set(merged, 'inputTokens', reported.input_tokens ?? reported.prompt_tokens)
  set(merged, 'outputTokens', outputTokensOf(reported, output))
  const details = isRecord(input) ? input : {}
  const cached = details.cached_tokens ?? reported.prompt_cache_hit_tokens ?? reported.num_cached_tokens
  set(merged, 'cachedInputTokens', cached ?? reported.cached_tokens)
  set(merged, 'cacheWriteTokens', details.cache_write_tokens ?? details.cache_creation_tokens)
  if (isRecord(output)) set(merged, 'reasoningTokens', output.reasoning_tokens)
  set(merged, 'totalTokens', reported.total_tokens)
  const { inputTokens = 0, outputTokens = 0, totalTokens = 0, reasoningTokens = 0 } = merged
  // A total below its parts, and earlier reasoning above the output, come from an older report.
  if (totalTokens < inputTokens + outputTokens) delete merged.totalTokens
  // Some servers do not count reasoning as output: values of one report stay as they are.
  const isOneReport = isRecord(output) && output.reasoning_tokens != null
  if (!isOneReport && merged.outputTokens !== undefined && reasoningTokens > outputTokens) delete merged.reasoningTokens
  return merged
}

/** xAI does not count reasoning as output: its total is that of three numbers. */
function outputTokensOf(reported: Readonly<Record<string, unknown>>, details: unknown): unknown {
  const output = reported.output_tokens ?? reported.completion_tokens
  const input = reported.input_tokens ?? reported.prompt_tokens
  const reasoning = isRecord(details) ? details.reasoning_tokens : undefined
  if (typeof output !== 'number' || typeof input !== 'number' || typeof reasoning !== 'number') return output
  return reported.total_tokens === input + output + reasoning ? output + reasoning : output
}

/** Adds the total where only its parts are reported. */
export function withTotal(usage: Usage): Usage {
  const { inputTokens, outputTokens, totalTokens } = usage
  if (totalTokens !== undefined || inputTokens === undefined || outputTokens === undefined) return usage
  return { ...usage, totalTokens: inputTokens + outputTokens }
}

/** Whether a report is a number of tokens: JSON has negative numbers, and some whose sums are wrong or infinite. */
export function isCount(reported: unknown): reported is number {
  return typeof reported === 'number' && reported >= 0 && reported <= Number.MAX_SAFE_INTEGER
}

function set(usage: Usage, field: Exclude<keyof Usage, 'estimated'>, reported: unknown): void {
  if (!isCount(reported)) return
  if (reported > 0 || usage[field] === undefined) usage[field] = reported
}
