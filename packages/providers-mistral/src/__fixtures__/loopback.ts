import { AgentKitError, type ModelEvent } from '@agentkit/core'
import type { Answer } from '@agentkit/test-loopback'

/** Answers with events, and `[DONE]`. */
export function sse(...events: object[]): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'mistral-correlation-id': 'cor_1' })
    for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`)
    response.end('data: [DONE]\n\n')
  }
}

/** Answers with a status and a JSON body. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'mistral-correlation-id': 'cor_1', ...headers })
    response.end(JSON.stringify(body))
  }
}

/** A chunk with one delta. */
export function chunk(delta: object, rest: { finish_reason?: string; usage?: object } = {}): object {
  const { finish_reason = null, usage } = rest
  return { object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }], ...(usage && { usage }) }
}

export const stop: object = chunk({ content: '' }, { finish_reason: 'stop' })

export async function errorOf(promise: Promise<unknown>): Promise<AgentKitError> {
  const error = await promise.then(
    () => new Error('It did not fail.'),
    (reason: unknown) => reason,
  )
  if (error instanceof AgentKitError) return error
  throw new Error('It failed with an error that is not ours.', { cause: error })
}
