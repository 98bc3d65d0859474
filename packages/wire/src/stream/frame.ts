import { AgentKitError } from '@agentkit/core'
import { failureOfBody } from '../errors/failure.ts'
import { type ErrorContext, providerError } from '../errors/provider-error.ts'

/** One event of a stream, as text. */
export type Frame = {
  /** The `event:` field; `''` when the server names none. */
  event: string
  data: string
  /** The stream ended before the frame did. */
  unterminated?: true
}

/** Whether a frame says that the stream is over, as OpenAI's does; some servers write white space after it. */
export function isDone({ data }: Frame): boolean {
  return data.startsWith('[DONE]') && data.trimEnd() === '[DONE]'
}

/**
 * The JSON object in a frame.
 * @throws AgentKitError `malformed-stream` for other data, `incomplete-stream` for an object that the end of the stream
 *   cuts, and the error of a frame that is named one, which some servers send as plain text
 */
export function parseFrame<Data extends object>(frame: Frame, context: ErrorContext): Data {
  const { provider, model } = context
  let data: unknown = frame.data
  try {
    data = JSON.parse(frame.data)
    // The readers check each field.
    if (typeof data === 'object' && data !== null) return data as Data
  } catch {
    if (frame.unterminated) {
      const message = `The answer of ${provider} broke off in the middle of an event.`
      throw new AgentKitError('incomplete-stream', message, { provider, model, retryable: true })
    }
  }
  if (frame.event === 'error') throw providerError(failureOfBody(data || 'it gave no reason.'), context)
  const message = `${provider} sent an event that is not a JSON object.`
  throw new AgentKitError('malformed-stream', message, { provider, model, retryable: true })
}
