import type { ModelEvent, ModelRequest } from '@agentkit/core'
import { type AzureModelOptions, type AzureOptions, azure } from '../index.ts'

export type Sent = { url: string; headers: Headers; body: Record<string, unknown> }

/** A fetch that always answers the same (a short answer on the wire that is asked, when absent), and keeps what was sent. */
export function fakeFetch(text?: string, init: ResponseInit = {}): { fetch: typeof fetch; sent: Sent[] } {
  const sent: Sent[] = []
  const fake: typeof fetch = async (input, request) => {
    const url = String(input)
    sent.push({ url, headers: new Headers(request?.headers), body: JSON.parse(String(request?.body)) })
    const usual = sse(...(url.includes('/responses') ? responsesAnswer : chatAnswer))
    return new Response(text ?? usual, { headers: { 'content-type': 'text/event-stream' }, ...init })
  }
  return { fetch: fake, sent }
}

export const chatAnswer = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: 'hi' } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
]

const message = { type: 'message', content: [{ type: 'output_text', text: 'hi' }] }
const responsesAnswer = [{ type: 'response.completed', response: { status: 'completed', output: [message] } }]

export function sse(...events: unknown[]): string {
  return [...events.map((event) => `data: ${JSON.stringify(event)}`), 'data: [DONE]', ''].join('\n\n')
}

export const question: ModelRequest = { messages: [{ role: 'user', content: 'hi' }] }

export const apiKey = 'key-test-5f3a9c'
export const endpoint = 'https://res.openai.azure.com'

/** The events of one call of the deployment `dep`, and what it ended in where it failed. */
export async function ask(
  fetch: typeof globalThis.fetch,
  options: AzureOptions = {},
  { request = question, ...modelOptions }: AzureModelOptions & { request?: ModelRequest } = {},
): Promise<{ events: ModelEvent[]; error?: unknown }> {
  const events: ModelEvent[] = []
  try {
    const given = options.client ? options : { endpoint, fetch, ...options }
    const model = azure(given).model('dep', modelOptions)
    for await (const event of model.stream(request, new AbortController().signal)) events.push(event)
    return { events }
  } catch (error) {
    return { events, error }
  }
}
