import type { AgentEvent } from 'agentkit'

/** An event as a readable line, with its agent; `undefined` for events that are not printed. */
export function lineOf(event: AgentEvent): string | undefined {
  const who = `${'  '.repeat(event.path.length - 1)}${event.path.at(-1)}`
  switch (event.type) {
    case 'agent-start':
      return `${who} begins`
    case 'tool-call':
      return `${who} calls ${event.name}(${JSON.stringify(event.input)})`
    case 'tool-result':
      return `${who} has from ${event.name}: ${JSON.stringify(event.output)}`
    case 'handoff':
      return `${who} hands the conversation to ${event.to}`
    case 'model-fallback':
      return `${who} continues with ${event.to}, because ${event.from} failed: ${event.error.message}`
    case 'agent-end':
      return `${who} is ${event.status}${event.reason === undefined ? '' : `: ${event.reason}`}`
    default:
      return undefined
  }
}
