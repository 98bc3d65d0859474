import { AgentKitError } from '@agentkit/core'
import { abortError } from '@agentkit/core/internal'
import { connectionError, refusalError } from './pinecone-error.ts'

/** The longest answer, in bytes once it is decompressed: many times more than a request asks for. */
const longestAnswer = 64_000_000

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
      const body = await bodyOf(response)
      if (response.ok) return new Response(body.byteLength > 0 ? body : null, { status, headers })
      throw refusalError({ status, headers, body: new TextDecoder().decode(body) }, apiKey)
    } catch (error) {
      throw wrapped(requestError(error))
    }

    function requestError(error: unknown): AgentKitError {
      if (error instanceof AgentKitError) return error
      if (signal.aborted) return abortError(signal)
      if (!tooLate.aborted) return connectionError(error, apiKey)
      const message = `Pinecone did not answer within ${timeoutMs / 1000} seconds.`
      return new AgentKitError('timeout', message, { provider: 'pinecone' })
    }
  }
}

/** @throws AgentKitError `malformed-stream` for an answer above the limit: a short one may decompress to gigabytes */
async function bodyOf({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop cancels the body.
  for await (const piece of body ?? []) {
    bytes += piece.byteLength
    if (bytes > longestAnswer) {
      const message = `The answer of Pinecone is longer than ${longestAnswer} bytes, more than was asked for.`
      throw new AgentKitError('malformed-stream', message, { provider: 'pinecone' })
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces, bytes)
}

/** The SDK would replace an error that has a `status` of 5xx by its own. */
function wrapped(cause: AgentKitError): Error {
  return new Error('The request to Pinecone failed.', { cause })
}
