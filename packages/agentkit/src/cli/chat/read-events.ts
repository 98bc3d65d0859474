import type { AgentEvent } from '@agentkit/core'

/** The largest event that is read. */
const maxChars = 16_000_000

export const connectionLost = 'The connection was lost before the answer was complete.'

/** The events of a stream of `/api/v1`. @throws when the connection is lost, and for an event that is no JSON */
export async function* readEvents(response: Response, signal: AbortSignal): AsyncGenerator<AgentEvent> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunksOf(response, signal)) {
    signal.throwIfAborted()
    rest += decoder.decode(chunk, { stream: true })
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    if (rest.length > maxChars) throw new Error('An event of the server is too large.')
    for (const block of blocks) {
      const data = block
        .split('\n')
        .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []))
        .join('\n')
      if (data !== '') yield JSON.parse(data)
    }
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
