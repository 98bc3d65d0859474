import { createHash } from 'node:crypto'
import type { ModelFinishReason, Usage } from '@agentkit/core'
import type { FakeAnswer, FakeToolCall } from './script.ts'
import type { MakeId } from './wire-spec.ts'

/** Text in at most `count` pieces of whole characters. */
export function pieces(text: string, count = 3): string[] {
  const characters = Array.from(text)
  const size = Math.max(1, Math.ceil(characters.length / count))
  const result: string[] = []
  for (let start = 0; start < characters.length; start += size) {
    result.push(characters.slice(start, start + size).join(''))
  }
  return result
}

export type WireCall = { callId: string; name: string; argumentsText: string }

export function toWireCalls(calls: readonly FakeToolCall[] = [], makeId: MakeId): WireCall[] {
  return calls.map(({ name, input = {}, inputText, callId }) => ({
    callId: callId ?? makeId('call_'),
    name,
    argumentsText: inputText ?? JSON.stringify(input),
  }))
}

export function finishReasonOf(answer: FakeAnswer): ModelFinishReason {
  return answer.finishReason ?? (answer.toolCalls?.length ? 'tool-calls' : 'stop')
}

/** The usage of the answer: as scripted, or one token per four characters; `undefined` when it is not reported. */
export function usageOf(answer: FakeAnswer, requestBody: unknown): Required<Omit<Usage, 'estimated'>> | undefined {
  if (answer.usage === null) return undefined
  const texts = [answer.text, answer.reasoning, answer.commentary, answer.refusal, JSON.stringify(answer.toolCalls)]
  const inputTokens = answer.usage?.inputTokens ?? estimateTokens(JSON.stringify(requestBody))
  const outputTokens = answer.usage?.outputTokens ?? estimateTokens(texts.join(''))
  return {
    inputTokens,
    outputTokens,
    totalTokens: answer.usage?.totalTokens ?? inputTokens + outputTokens,
    cachedInputTokens: answer.usage?.cachedInputTokens ?? 0,
    cacheWriteTokens: answer.usage?.cacheWriteTokens ?? 0,
    reasoningTokens: answer.usage?.reasoningTokens ?? estimateTokens(answer.reasoning ?? ''),
  }
}

function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4)
}

/** A fake embedding: the same unit vector for the same text. */
export function embed(text: string, dimensions = 8): Float32Array {
  const vector = new Float32Array(dimensions)
  for (let index = 0; index < dimensions; index++) {
    vector[index] = createHash('sha256').update(`${index}:${text}`).digest().readInt32LE(0) / 2 ** 31
  }
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}
