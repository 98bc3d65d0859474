import type { Usage } from '@agentkit/core'
import { isRecord } from '../util/json.ts'

/**
 * Usage as the OpenAI wires tell it, in either wording, added to what was told before: what is told last holds, and
 * a later null or zero erases nothing. What is never told stays absent.
 */
export function mergeUsage(usage: Usage, told: unknown): Usage {
  if (!isRecord(told)) return usage
  const input = isRecord(told.input_tokens_details) ? told.input_tokens_details : told.prompt_tokens_details
  const output = isRecord(told.output_tokens_details) ? told.output_tokens_details : told.completion_tokens_details
  const merged = { ...usage }
  set(merged, 'inputTokens', told.input_tokens ?? told.prompt_tokens)
  set(merged, 'outputTokens', told.output_tokens ?? told.completion_tokens)
  if (isRecord(input)) {
    set(merged, 'cachedInputTokens', input.cached_tokens)
    set(merged, 'cacheWriteTokens', input.cache_write_tokens)
  }
  if (isRecord(output)) set(merged, 'reasoningTokens', output.reasoning_tokens)
  set(merged, 'totalTokens', told.total_tokens)
  const { inputTokens = 0, outputTokens = 0, totalTokens = 0, reasoningTokens = 0 } = merged
  // A total of less than its halves, and earlier reasoning of more than the output, are those of another moment.
  if (totalTokens < inputTokens + outputTokens) delete merged.totalTokens
  // Some servers do not count reasoning as output: what comes together is left as it is.
  const together = isRecord(output) && output.reasoning_tokens != null
  if (!together && merged.outputTokens !== undefined && reasoningTokens > outputTokens) delete merged.reasoningTokens
  return merged
}

/** With a total, when both of its halves are told and it is not. */
export function withTotal(usage: Usage): Usage {
  const { inputTokens, outputTokens, totalTokens } = usage
  if (totalTokens !== undefined || inputTokens === undefined || outputTokens === undefined) return usage
  return { ...usage, totalTokens: inputTokens + outputTokens }
}

function set(usage: Usage, field: Exclude<keyof Usage, 'estimated'>, told: unknown): void {
  if (typeof told !== 'number' || !Number.isFinite(told) || told < 0) return
  if (told > 0 || usage[field] === undefined) usage[field] = told
}
