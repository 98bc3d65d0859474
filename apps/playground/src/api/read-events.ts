import type { AgentEvent } from '@agentkit/core'

/** The longest text of one event, in characters: a longer text is not an event of a run. */
const maxEvent = 32 * 1024 * 1024

/**
 * How long a connection that sends nothing counts as open, in milliseconds: four heartbeats. Where a network has dropped
 * it, nothing reports that.
 */
export const silenceMs = 60_000

/**
 * Reads a stream of server-sent events.
 * @param onEvent receives the events of a run in order
 * @param maxSilence ends the stream after a longer silence, in milliseconds; absent for one that cannot be continued
 */
export async function readEvents(
  response: Response,
  onEvent: (event: AgentEvent) => void,
  maxSilence?: number,
): Promise<void> {
  if (!response.body) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  /** The event that has no end yet. It is not read: reading all of it at each piece takes time by the square of its length. */
  let begun = ''
  let held = ''
  for (;;) {
    const timer = maxSilence && setTimeout(() => void reader.cancel(), maxSilence)
    const { done, value } = await reader.read().finally(() => clearTimeout(timer))
    if (done) return
    const blocks = (held + value).split('\n\n')
    const rest = blocks.pop() ?? ''
    // The next piece may begin with the second line end of an event's end.
    held = rest.endsWith('\n') ? '\n' : ''
    for (const block of blocks) {
      const event = parseEvent(begun + block)
      begun = ''
      if (event) onEvent(event)
    }
    begun += rest.slice(0, rest.length - held.length)
    if (begun.length > maxEvent) throw new Error('The stream has an event without an end.')
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
