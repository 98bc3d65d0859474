import { AgentKitError, type ModelEvent } from '@agentkit/core'
import type { Answer } from '@agentkit/test-loopback'

/** Answers with lines: an object is JSON, a text is itself. */
export function ndjson(...lines: (object | string)[]): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    for (const line of lines) response.write(typeof line === 'string' ? line : `${JSON.stringify(line)}\n`)
    response.end()
  }
}

/** A line with a piece of the answer. */
export function line(message: object): object {
  return { model: 'm', created_at: '2026-11-01T00:00:00Z', message: { role: 'assistant', content: '', ...message }, done: false }
}

/** The line that ends an answer. */
export function done(rest: object = {}): object {
  return { ...line({}), done: true, done_reason: 'stop', ...rest }
}

export async function errorOf(promise: Promise<unknown>): Promise<AgentKitError> {
  const error = await promise.then(
    () => new Error('It did not fail.'),
    (reason: unknown) => reason,
  )
  if (error instanceof AgentKitError) return error
  throw new Error('It failed with an error that is not ours.', { cause: error })
}
