import { AgentKitError } from '@agentkit/core'

/**
 * Reads a decompressed response up to a limit, or until the signal aborts: a short body may decompress to gigabytes,
 * even after its last byte has arrived.
 *
 * @param mostBytes of the decompressed body
 * @throws AgentKitError `malformed-stream` for a longer body; the signal's reason when it aborts
 * @example
 * const answer = await (await boundedResponse(await fetch(url, { signal }), 1_000_000, signal)).json()
 */
export async function boundedResponse(response: Response, mostBytes: number, signal: AbortSignal): Promise<Response> {
  const { status, statusText, headers } = response
  const reader = response.body?.getReader()
  const pieces: Uint8Array[] = []
  let bytes = 0
  const stop = (): void => void reader?.cancel().catch(() => {})
  signal.addEventListener('abort', stop)
  try {
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      signal.throwIfAborted()
      bytes += piece.value.byteLength
      if (bytes > mostBytes) throw tooLong(mostBytes)
      pieces.push(piece.value)
    }
    signal.throwIfAborted()
  } catch (error) {
    stop()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
  return new Response(reader ? Buffer.concat(pieces, bytes) : null, { status, statusText, headers })
}

function tooLong(mostBytes: number): AgentKitError {
  const message = `The answer is longer than ${mostBytes} bytes, more than was asked for.`
  return new AgentKitError('malformed-stream', message, { retryable: false })
}
