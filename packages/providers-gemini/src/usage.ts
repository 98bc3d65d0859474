import type { Usage } from '@agentkit/core'
import { isRecord, withTotal } from '@agentkit/wire'

const fields = [
  'promptTokenCount',
  'toolUsePromptTokenCount',
  'cachedContentTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'totalTokenCount',
] as const

/** Usage as Gemini tells it, with most chunks: the last count holds, and a later null or zero erases nothing. */
export class GeminiUsage {
  readonly #counts: Partial<Record<(typeof fields)[number], number>> = {}

  add(told: unknown): void {
    if (!isRecord(told)) return
    for (const field of fields) {
      const count = told[field]
      if (typeof count === 'number' && (count > 0 || this.#counts[field] === undefined)) this.#counts[field] = count
    }
  }

  /** Thoughts are output, and are not in Gemini's own count of it; so is what tools of the server read, of input. */
  total(): Usage {
    const counts = this.#counts
    const usage: Usage = {}
    const set = (field: Exclude<keyof Usage, 'estimated'>, count: number | undefined): void => {
      if (count !== undefined) usage[field] = count
    }
    set('inputTokens', sum(counts.promptTokenCount, counts.toolUsePromptTokenCount))
    set('outputTokens', sum(counts.candidatesTokenCount, counts.thoughtsTokenCount))
    set('cachedInputTokens', counts.cachedContentTokenCount)
    set('reasoningTokens', counts.thoughtsTokenCount)
    set('totalTokens', counts.totalTokenCount)
    return withTotal(usage)
  }
}

function sum(first: number | undefined, second: number | undefined): number | undefined {
  return first === undefined && second === undefined ? undefined : (first ?? 0) + (second ?? 0)
}
