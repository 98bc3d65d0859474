import type { Usage } from '@agentkit/core'
import { isCount, isRecord, withTotal } from '@agentkit/wire'

const fields = [
  'promptTokenCount',
  'toolUsePromptTokenCount',
  'cachedContentTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'totalTokenCount',
] as const

type Counts = Partial<Record<(typeof fields)[number], number>>

/**
 * Usage as Gemini reports it, with most chunks: each is a snapshot of the whole answer, and the last one counts. What it
 * leaves out is taken from earlier ones only as far as its total allows; a later null or zero erases nothing.
 */
export class GeminiUsage {
  #counts: Counts = {}

  add(reported: unknown): void {
    if (!isRecord(reported)) return
    const snapshot: Counts = {}
    for (const field of fields) {
      const count = reported[field]
      if (isCount(count) && (count > 0 || this.#counts[field] === undefined)) snapshot[field] = count
    }
    this.#counts = snapshot.totalTokenCount ? this.#withTotal(snapshot) : { ...this.#counts, ...snapshot }
  }

  /** The counts of a snapshot with a total, completed by earlier snapshots if the sum equals that total. */
  #withTotal(snapshot: Counts): Counts {
    const earlier = this.#counts
    const { totalTokenCount: total = 0 } = snapshot
    const [input, output] = [inputOf(snapshot), outputOf(snapshot)]
    if (input === total && outputOf(earlier) > 0) return earlier
    if (input + output === total) {
      // Tokens that were read from the cache are part of a prompt that is still the same.
      const cached = earlier.promptTokenCount === snapshot.promptTokenCount && earlier.cachedContentTokenCount
      return { ...(cached && { cachedContentTokenCount: cached }), ...snapshot }
    }
    const merged = { ...earlier, ...snapshot }
    const sum = inputOf(merged) + outputOf(merged)
    if (sum === total) return merged
    // A half that the snapshot does not report is the rest of its total.
    if (input === 0 && output > 0 && output < total) return { ...snapshot, promptTokenCount: total - output }
    if (output === 0 && input > 0 && input < total) return { ...snapshot, candidatesTokenCount: total - input }
    if (sum < total) return merged
    return input + output > 0 ? snapshot : earlier
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

function inputOf({ promptTokenCount = 0, toolUsePromptTokenCount = 0 }: Counts): number {
  return promptTokenCount + toolUsePromptTokenCount
}

function outputOf({ candidatesTokenCount = 0, thoughtsTokenCount = 0 }: Counts): number {
  return candidatesTokenCount + thoughtsTokenCount
}
