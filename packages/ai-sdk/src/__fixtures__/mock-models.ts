import type { ModelEvent, ModelRequest } from '@agentkit/core'
import { convertArrayToReadableStream, MockLanguageModelV3, MockLanguageModelV4 } from 'ai/test'
import { fromAISDK } from '../index.ts'

export type MockModel = MockLanguageModelV3 | MockLanguageModelV4

export const usage = {
  inputTokens: { total: 10, noCache: 7, cacheRead: 2, cacheWrite: 1 },
  outputTokens: { total: 5, text: 3, reasoning: 2 },
}

export function finish(unified: string, raw?: string): object {
  return { type: 'finish', finishReason: { unified, raw }, usage }
}

export function text(words: string, id = '1'): object[] {
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: words },
    { type: 'text-end', id },
  ]
}

/** A model that answers each call with the next list of parts; a function makes them, or throws. */
export function mockModel(
  version: 'v3' | 'v4',
  turns: readonly (readonly object[] | (() => readonly object[]))[],
  supportedUrls: Record<string, RegExp[]> = {},
): MockModel {
  let turn = 0
  const Mock = version === 'v3' ? MockLanguageModelV3 : MockLanguageModelV4
  return new Mock({
    supportedUrls,
    doStream: async () => {
      const parts = turns[turn++] ?? []
      // The parts are those of the version, or wrong ones on purpose.
      return { stream: convertArrayToReadableStream([...(typeof parts === 'function' ? parts() : parts)]) as never }
    },
  })
}

/** One call of a model. */
export async function ask(
  model: MockModel,
  request: Partial<ModelRequest> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<{ events: ModelEvent[]; error?: unknown }> {
  const events: ModelEvent[] = []
  try {
    const asked = { messages: [{ role: 'user' as const, content: 'Hello' }], ...request }
    for await (const event of fromAISDK(model).stream(asked, signal)) events.push(event)
  } catch (error) {
    return { events, error }
  }
  return { events }
}

/** The options of the model's last call. */
export function lastCall(model: MockModel): Record<string, unknown> & { prompt: { role: string; content: unknown }[] } {
  return model.doStreamCalls.at(-1) as never
}
