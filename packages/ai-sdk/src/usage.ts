import type { Usage } from '@agentkit/core'
import { isRecord } from '@agentkit/wire'
import type { LanguageModelV3Usage } from '@ai-sdk/provider'

/** The usage that a model of the AI SDK reports. What it does not report is absent, never 0. */
export function fromAISDKUsage(reported: unknown): Usage {
  const { inputTokens: input, outputTokens: output } = isRecord(reported) ? reported : {}
  const { total: read, noCache, cacheRead, cacheWrite } = isRecord(input) ? input : {}
  const { total: written, text, reasoning } = isRecord(output) ? output : {}
  const inputTokens = count(read) ?? sum(noCache, cacheRead, cacheWrite)
  const outputTokens = count(written) ?? sum(text, reasoning)
  return definedOnly({
    inputTokens,
    outputTokens,
    cachedInputTokens: count(cacheRead),
    cacheWriteTokens: count(cacheWrite),
    reasoningTokens: count(reasoning),
    totalTokens: inputTokens === undefined || outputTokens === undefined ? undefined : inputTokens + outputTokens,
  })
}

/** The usage of a run as the AI SDK reports it. */
export function toAISDKUsage(usage: Usage): LanguageModelV3Usage {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens } = usage
  return {
    inputTokens: {
      total: inputTokens,
      noCache: difference(inputTokens, cachedInputTokens, cacheWriteTokens),
      cacheRead: cachedInputTokens,
      cacheWrite: cacheWriteTokens,
    },
    outputTokens: { total: outputTokens, text: difference(outputTokens, reasoningTokens), reasoning: reasoningTokens },
  }
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

function sum(...values: unknown[]): number | undefined {
  const counts = values.map(count).filter((value) => value !== undefined)
  return counts.length === 0 ? undefined : counts.reduce((total, value) => total + value, 0)
}

function difference(total: number | undefined, ...parts: (number | undefined)[]): number | undefined {
  if (total === undefined || parts.every((part) => part === undefined)) return undefined
  return Math.max(0, total - parts.reduce<number>((all, part) => all + (part ?? 0), 0))
}

function definedOnly(usage: { [Name in keyof Usage]: Usage[Name] | undefined }): Usage {
  // Without the fields that are undefined it has the form of Usage.
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== undefined)) as Usage
}
