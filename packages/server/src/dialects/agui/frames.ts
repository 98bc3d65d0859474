import type { AgentEvent, Usage } from '@agentkit/core'
import type { Frame } from './agent-track.ts'

export function custom(name: string, value: unknown): Frame {
  return { type: 'CUSTOM', name, value }
}

/** A member that did not finish ends in an error, without the words of its failure. */
export function outcomeOf({ status }: Extract<AgentEvent, { type: 'agent-end' }>): Frame {
  if (status === 'done') return { outcome: { type: 'success' } }
  if (status === 'waiting') return { outcome: { type: 'suspended' } }
  return { type: 'SUBAGENT_ERROR', message: `The member did not finish (${status}).`, code: status }
}

/** Texts and images as they are, anything else as JSON. */
export function contentOf(
  { output }: Extract<AgentEvent, { type: 'tool-result' }>,
  takesParts: boolean,
): string | object[] {
  if (typeof output === 'string') return output
  if (Array.isArray(output) && output.length > 0 && output.every(isPart)) {
    if (!takesParts) return output.map(({ type, text }) => (type === 'text' ? text : '[image left out]')).join('\n')
    return output.map((part) => {
      if (part.type === 'text') return { type: 'text', text: String(part.text) }
      const { base64, url, mediaType = 'image/png' } = part
      const source = base64 === undefined ? { type: 'url', value: url } : { type: 'data', value: base64 }
      return { type: 'image', source: { ...source, mimeType: mediaType } }
    })
  }
  return output === undefined ? 'done' : JSON.stringify(output)
}

type Part = { type: unknown; text?: unknown; base64?: unknown; url?: unknown; mediaType?: unknown }

function isPart(part: unknown): part is Part {
  if (typeof part !== 'object' || part === null || !('type' in part)) return false
  const { type, text, base64, url } = part as Part
  if (type === 'text') return typeof text === 'string'
  return type === 'image' && (typeof base64 === 'string' || typeof url === 'string')
}

export function tokenUsage({
  inputTokens,
  outputTokens,
  totalTokens,
  reasoningTokens,
  cachedInputTokens,
}: Usage): object[] {
  const known = { inputTokens, outputTokens, totalTokens, reasoningTokens, cachedInputTokens }
  const used = Object.entries(known).filter(([, tokens]) => tokens !== undefined)
  return used.length > 0 ? [Object.fromEntries(used)] : []
}
