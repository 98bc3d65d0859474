import { AgentKitError } from '@agentkit/core'
import { abortError } from '@agentkit/core/internal'
import { connectionError, refusalError } from './pinecone-error.ts'

/**
 * The `fetch` that the SDK is given. It ends at the signal, and what fails leaves it as an AgentKitError: the SDK knows
 * no signals, hides the status and `retry-after` of what it refuses, and repeats 5xx by itself, 429 never.
 */
export function pineconeFetch(
  signal: AbortSignal,
  { apiKey, timeoutMs }: { apiKey: string; timeoutMs: number },
): typeof fetch {
  return async (address, init) => {
    const tooLate = AbortSignal.timeout(timeoutMs)
    try {
      // A redirect would carry the key to somebody else.
      const ended = AbortSignal.any([signal, tooLate])
      const response = await fetch(address, { ...init, signal: ended, redirect: 'manual' })
      const { status, headers } = response
      // Read here, because the SDK reads where nobody could tell what went wrong.
      const body = await response.arrayBuffer()
      if (response.ok) return new Response(body.byteLength > 0 ? body : null, { status, headers })
      throw refusalError({ status, headers, body: new TextDecoder().decode(body) }, apiKey)
    } catch (error) {
      throw wrapped(failureOf(error))
    }

    function failureOf(error: unknown): AgentKitError {
      if (error instanceof AgentKitError) return error
      if (signal.aborted) return abortError(signal)
      if (!tooLate.aborted) return connectionError(error, apiKey)
      const message = `Pinecone did not answer within ${timeoutMs / 1000} seconds.`
      return new AgentKitError('timeout', message, { provider: 'pinecone' })
    }
  }
}

/** Anything with a `status` of 5xx would be replaced by the SDK's own error. */
function wrapped(cause: AgentKitError): Error {
  return new Error('The request to Pinecone failed.', { cause })
}
