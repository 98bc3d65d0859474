import type { RunResult } from '@agentkit/core'

/**
 * The value that an answer is: its `output`, else its text as JSON, also in a Markdown fence.
 * @returns `undefined` for a text that is not JSON
 */
export function parsedAnswer({ output, text }: Pick<RunResult, 'output' | 'text'>): { value: unknown } | undefined {
  if (output !== undefined) return { value: output }
  const trimmed = text.trim()
  const isFenced = trimmed.startsWith('```') && trimmed.endsWith('```') && trimmed.includes('\n')
  try {
    return { value: JSON.parse(isFenced ? trimmed.slice(trimmed.indexOf('\n') + 1, -3) : trimmed) }
  } catch {
    return undefined
  }
}
