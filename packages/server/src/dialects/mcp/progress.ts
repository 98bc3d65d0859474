import type { AgentEvent } from '@agentkit/core'
import type { ServerContext } from '@modelcontextprotocol/server'

/** The most notifications of one call that say what happens. */
const maxNotes = 1_000
/** The least time between two notifications that only say that the run continues, in milliseconds. */
const pulseMs = 1_000
const maxName = 100

/**
 * Sends the progress of a run, where the client has asked for it: the numbers of its events, which rise over the whole run,
 * and what the agent does.
 *
 * @param now for tests
 */
export function progressOf(
  { mcpReq }: ServerContext,
  now: () => number = () => performance.now(),
): (event: AgentEvent) => void {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return () => {}
  let notes = 0
  let sentAt = Number.NEGATIVE_INFINITY
  return (event) => {
    const message = noteOf(event)
    if (message === undefined) return
    const isPulse = event.type === 'text-delta' || event.type === 'reasoning-delta' || notes >= maxNotes
    if (isPulse && now() - sentAt < pulseMs) return
    if (!isPulse) notes++
    sentAt = now()
    const params = { progressToken, progress: event.seq, message }
    // A client that has left gets none.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
  }
}

function noteOf(event: AgentEvent): string | undefined {
  const who = event.path.length > 1 ? `${short(event.path.slice(1).join(' / '))}: ` : ''
  switch (event.type) {
    case 'step-start':
      return `${who}step ${event.step}`
    case 'tool-call':
      return `${who}calls ${short(event.name)}`
    case 'tool-result':
      return `${who}${short(event.name)} ${event.isError ? 'has failed' : 'is done'}`
    case 'handoff':
      return `${who}hands over to ${short(event.to)}`
    case 'step-restart':
      return `${who}tries the step again`
    case 'model-fallback':
      return `${who}continues with another model`
    case 'approval-request':
      return `${who}needs a decision on ${short(event.name)}`
    case 'text-delta':
      return `${who}writes`
    case 'reasoning-delta':
      return `${who}thinks`
    default:
      return undefined
  }
}

function short(name: string): string {
  return name.length > maxName ? `${name.slice(0, maxName)}…` : name
}
