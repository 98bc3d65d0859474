import type { ServerResponse } from 'node:http'
import { type Answer, type Loopback, loopback as serve } from '@agentkit/test-loopback'

export type { Answer }

/** A server on loopback with the base URL of OpenAI's API, which ends with `/v1`. */
export const loopback = (answer: Answer): Promise<Loopback> => serve(answer, '/v1')

export function sse(...events: unknown[]): string {
  return events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('')
}

export function streaming(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req_1' })
}

/** Answers with a status and a JSON body. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_1', ...headers })
    response.end(JSON.stringify(body))
  }
}

export const chatDelta = (content: string): object => ({ choices: [{ index: 0, delta: { content } }] })

const chatEvents = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] },
  chatDelta('grüße '),
  chatDelta('🦊'),
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 } },
  '[DONE]',
]

const responsesEvents = [
  { type: 'response.created', response: { id: 'resp_1' } },
  { type: 'response.output_item.added', output_index: 0, item: { type: 'message', content: [] } },
  { type: 'response.output_text.delta', output_index: 0, delta: 'grüße ' },
  { type: 'response.output_text.delta', output_index: 0, delta: '🦊' },
  { type: 'response.output_item.done', output_index: 0, item: { type: 'message', content: [] } },
  {
    type: 'response.completed',
    response: { status: 'completed', usage: { input_tokens: 7, output_tokens: 2, total_tokens: 9 } },
  },
]

/** The same short answer on each wire. */
export const answers: { api: 'chat' | 'responses'; path: string; text: string }[] = [
  { api: 'chat', path: '/v1/chat/completions', text: sse(...chatEvents) },
  { api: 'responses', path: '/v1/responses', text: sse(...responsesEvents) },
]
