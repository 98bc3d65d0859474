import type { ReasoningPart } from '@agentkit/core'
import type { RedactedThinkingBlockParam, ThinkingBlockParam } from '@anthropic-ai/sdk/resources/messages'

/** What a thinking block is taken back with, beside its text: it must be the very same. */
export type ThinkingData = { signature: string } | { redacted: string }

/** A part of reasoning as its own model wants it back; of any other model, nothing. */
export function thinkingBlock(
  { text, opaque }: ReasoningPart,
  owner: string,
): [] | [ThinkingBlockParam | RedactedThinkingBlockParam] {
  const data = opaque?.owner === owner ? opaque.data : undefined
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return []
  if (typeof data.signature === 'string') return [{ type: 'thinking', thinking: text, signature: data.signature }]
  return typeof data.redacted === 'string' ? [{ type: 'redacted_thinking', data: data.redacted }] : []
}
