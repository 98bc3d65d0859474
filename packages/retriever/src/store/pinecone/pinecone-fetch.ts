import { AgentKitError } from '@agentkit/core'
import { abortError } from '@agentkit/core/internal'
import { connectionError, refusalError } from './pinecone-error.ts'

/**
 * The `fetch` of the SDK. It stops at the signal, and failures are AgentKitErrors: the SDK has no signals, hides the
 * status and `retry-after` of errors, and retries 5xx by itself, but never 429.
 */
export function pineconeFetch(
  signal: AbortSignal,
  { apiKey, timeoutMs }: { apiKey: string; timeoutMs: number },
): typeof fetch {
  return async (address, init) => {
    const tooLate = AbortSignal.timeout(timeoutMs)
    try {
      // A redirect would send the key to another host.
      const ended = AbortSignal.any([signal, tooLate])
      const response = await fetch(address, { ...init, signal: ended, redirect: 'manual' })
      const { status, headers } = response
      // Read here, because the SDK hides failures of reading.
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

/** The SDK would replace an error that has a `status` of 5xx by its own. */
function wrapped(cause: AgentKitError): Error {
  return new Error('The request to Pinecone failed.', { cause })
}
