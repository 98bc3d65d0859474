import type { Approval, Citation, Cost, RunFinishReason, Usage } from '@agentkit/core'
import { approvalBody, sourceBody } from '../../answer/encode-answer.ts'

/** The facts of a run for which OpenAI has no fields. */
export type RunFacts = {
  runId: string
  finishReason?: RunFinishReason | undefined
  cost?: Cost | undefined
  sources?: readonly Citation[]
  approvals?: readonly Approval[]
}

/** The field `agentkit` of every object. */
export function agentkitField({ runId, finishReason, cost, sources = [], approvals = [] }: RunFacts): object {
  return {
    run_id: runId,
    finish_reason: finishReason ?? null,
    cost: cost?.usd ?? null,
    sources: sources.map(sourceBody),
    approvals: approvals.map(approvalBody),
  }
}

/** OpenAI's names of why an answer ended: `length` where the run ended early. */
export function endOf(reason: RunFinishReason): 'stop' | 'length' | 'content_filter' {
  switch (reason) {
    case 'length':
    case 'budget':
    case 'max-steps':
    case 'no-progress':
      return 'length'
    case 'content-filter':
      return 'content_filter'
    default:
      return 'stop'
  }
}

/** Tokens by the names of Chat Completions; null where none are known. */
export function completionUsage(usage: Usage): object | null {
  const tokens = tokensOf(usage)
  return (
    tokens && {
      prompt_tokens: tokens.input,
      completion_tokens: tokens.output,
      total_tokens: tokens.total,
      prompt_tokens_details: { cached_tokens: tokens.cached },
      completion_tokens_details: { reasoning_tokens: tokens.reasoning },
    }
  )
}

/** Tokens by the names of Responses; null where none are known. */
export function responseUsage(usage: Usage): object | null {
  const tokens = tokensOf(usage)
  return (
    tokens && {
      input_tokens: tokens.input,
      input_tokens_details: { cached_tokens: tokens.cached },
      output_tokens: tokens.output,
      output_tokens_details: { reasoning_tokens: tokens.reasoning },
      total_tokens: tokens.total,
    }
  )
}

function tokensOf({ inputTokens, outputTokens, cachedInputTokens = 0, reasoningTokens = 0, totalTokens }: Usage) {
  if (inputTokens === undefined && outputTokens === undefined && totalTokens === undefined) return null
  const input = inputTokens ?? 0
  const output = outputTokens ?? 0
  return { input, output, total: totalTokens ?? input + output, cached: cachedInputTokens, reasoning: reasoningTokens }
}
