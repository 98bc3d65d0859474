import type { ModelRequest } from '@agentkit/core'
import type { ClaudeTraits } from './model-info.ts'
import type { Thinking, Turn } from './types.ts'

export type Reasoning = { thinking?: Thinking; effort?: 'low' | 'medium' | 'high' }

/** The fields that ask a model to think; what it does not take is left out, with a warning. */
export function reasoningOf(
  model: string,
  { reasoning, cache }: ModelRequest,
  { traits, maxTokens, turns }: { traits: ClaudeTraits; maxTokens: number; turns: readonly Turn[] },
  warnings: string[],
): Reasoning {
  const mayHaveThought = cache !== undefined || turns.some(({ content }) => content.some(isThinking))
  if (reasoning === 'none') return withoutThinking(model, traits, mayHaveThought, warnings)
  if (traits.thinking === 'adaptive') return adaptive(reasoning, traits, mayHaveThought)
  if (reasoning === undefined) return {}
  if (traits.thinking === 'none') {
    warnings.push(`"${model}" does not take \`reasoning\`: it was left out.`)
    return {}
  }
  return budgeted(budgets[reasoning], maxTokens, turns, warnings)
}

function withoutThinking(model: string, traits: ClaudeTraits, mayHaveThought: boolean, warnings: string[]): Reasoning {
  const { withoutThinking } = traits
  if (withoutThinking === 'absent') return {}
  if (withoutThinking !== 'never') return { thinking: { type: withoutThinking } }
  warnings.push(`"${model}" always reasons: the effort "none" was sent as "low".`)
  return { ...adaptive(undefined, traits, mayHaveThought), effort: 'low' }
}

function adaptive(
  effort: Reasoning['effort'],
  { hidesThinking, bindsThinking }: ClaudeTraits,
  mayHaveThought: boolean,
): Reasoning {
  const thinking: Thinking = { type: 'adaptive' }
  if (effort && hidesThinking) thinking.display = 'summarized'
  // Otherwise the API refuses the thinking of a conversation that was shortened, or that has other tools now. From its
  // first request on, as another setting would clear the cache.
  const binds = bindsThinking && mayHaveThought
  if (binds) thinking.block_binding = { prefix_mismatch_behavior: 'drop_block' }
  return { ...((effort || binds) && { thinking }), ...(effort && { effort }) }
}

/** In tokens. */
const budgets = { low: 2_048, medium: 8_192, high: 16_384 } as const
const leastBudget = 1_024

function budgeted(wanted: number, maxTokens: number, turns: readonly Turn[], warnings: string[]): Reasoning {
  const budget = Math.min(wanted, Math.floor(maxTokens / 2))
  if (budget < leastBudget) {
    warnings.push(`An answer of ${maxTokens} tokens leaves no room for reasoning: it was left out.`)
    return {}
  }
  if (continuesWithoutThinking(turns)) {
    warnings.push('Reasoning was left out: the calls that were just answered were made without it.')
    return {}
  }
  return { thinking: { type: 'enabled', budget_tokens: budget } }
}

/** The API refuses to think about the results of calls that the model made without thinking. */
function continuesWithoutThinking(turns: readonly Turn[]): boolean {
  const isAnswered = turns.at(-1)?.content[0]?.type === 'tool_result'
  const first = turns.at(-2)?.content[0]
  return isAnswered && first !== undefined && !isThinking(first)
}

function isThinking({ type }: Turn['content'][number]): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}
