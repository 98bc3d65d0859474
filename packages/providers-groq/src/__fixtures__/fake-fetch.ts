import type { ModelEvent, ModelRequest } from '@agentkit/core'
import { type GroqModelOptions, groq } from '../provider.ts'

export type Sent = { url: string; headers: Headers; body: Record<string, unknown> }

/** A fetch that always answers the same, and keeps what was sent. */
export function fakeFetch(text = sse(...answer), init: ResponseInit = {}): { fetch: typeof fetch; sent: Sent[] } {
  const sent: Sent[] = []
  const fake: typeof fetch = async (input, request) => {
    sent.push({ url: String(input), headers: new Headers(request?.headers), body: JSON.parse(String(request?.body)) })
    return new Response(text, { headers: { 'content-type': 'text/event-stream' }, ...init })
  }
  return { fetch: fake, sent }
}

export const answer = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: 'hi' } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
]

export function sse(...events: unknown[]): string {
  return [...events.map((event) => `data: ${JSON.stringify(event)}`), 'data: [DONE]', ''].join('\n\n')
}

export const question: ModelRequest = { messages: [{ role: 'user', content: 'hi' }] }

export const apiKey = 'gsk-test-5f3a9c'

/** The events of one call, and what it ended in where it failed. */
export async function ask(
  fetch: typeof globalThis.fetch,
  request: ModelRequest = question,
  { model = 'openai/gpt-oss-120b', ...options }: GroqModelOptions & { model?: string } = {},
): Promise<{ events: ModelEvent[]; error?: unknown }> {
  const events: ModelEvent[] = []
  try {
    const stream = groq({ apiKey, fetch }).model(model, options).stream(request, new AbortController().signal)
    for await (const event of stream) events.push(event)
    return { events }
  } catch (error) {
    return { events, error }
  }
}
