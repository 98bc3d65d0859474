import type { AgentEvent } from '@agentkit/core'

/** The longest text of one event, in characters: a longer text is not an event of a run. */
const maxEvent = 32 * 1024 * 1024

/**
 * Reads a stream of server-sent events.
 * @param onEvent receives the events of a run in order
 */
export async function readEvents(response: Response, onEvent: (event: AgentEvent) => void): Promise<void> {
  if (!response.body) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    rest += value
    let from = 0
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n', from)) {
      const event = parseEvent(rest.slice(from, end))
      from = end + 2
      if (event) onEvent(event)
    }
    rest = rest.slice(from)
    if (rest.length > maxEvent) throw new Error('The stream has an event without an end.')
  }
}

function parseEvent(text: string): AgentEvent | undefined {
  let data = ''
  // The space after the colon is one that JSON may have.
  for (const line of text.split('\n')) if (line.startsWith('data:')) data += line.slice(5)
  if (data === '') return undefined
  try {
    const event: unknown = JSON.parse(data)
    return isEvent(event) ? event : undefined
  } catch {
    return undefined
  }
}

/** Whether it has what every event of a run has. */
export function isEvent(event: unknown): event is AgentEvent {
  if (typeof event !== 'object' || event === null) return false
  const { type, seq, path, runId } = event as Partial<AgentEvent>
  return typeof type === 'string' && typeof seq === 'number' && typeof runId === 'string' && Array.isArray(path)
}
