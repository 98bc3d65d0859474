import type { AgentEvent } from '@agentkit/core'

/** The largest event that is read. */
const maxChars = 16_000_000

export const connectionLost = 'The connection was lost before the answer was complete.'

/** The events of a stream of `/api/v1`. @throws when the connection is lost, and for an event that is no JSON */
export async function* readEvents(response: Response, signal: AbortSignal): AsyncGenerator<AgentEvent> {
  const decoder = new TextDecoder()
  /** The event that has no end yet. It is not read: reading all of it at each piece takes time by the square of its length. */
  let begun = ''
  let held = ''
  for await (const chunk of chunksOf(response, signal)) {
    signal.throwIfAborted()
    const blocks = (held + decoder.decode(chunk, { stream: true })).split('\n\n')
    const rest = blocks.pop() ?? ''
    // The next piece may begin with the second line end of an event's end.
    held = rest.endsWith('\n') ? '\n' : ''
    for (const block of blocks) {
      const event = begun + block
      begun = ''
      const data = event
        .split('\n')
        .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []))
        .join('\n')
      if (data !== '') yield JSON.parse(data)
    }
    begun += rest.slice(0, rest.length - held.length)
    if (begun.length > maxChars) throw new Error('An event of the server is too large.')
  }
}

/** @throws with a sentence when the connection is lost, of which `fetch` says "terminated" */
async function* chunksOf({ body }: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* body ?? []
  } catch (cause) {
    if (signal.aborted) throw cause
    throw new Error(connectionLost, { cause })
  }
}
