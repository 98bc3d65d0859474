import type { AgentEvent } from '@agentkit/core'
import { firstChars } from '@agentkit/core/internal'
import type { ServerContext } from '@modelcontextprotocol/server'

/** The most notifications of one call that say what happens. */
const maxNotes = 1_000
/** The least time between two notifications that only say that the run continues, in milliseconds. */
const pulseMs = 1_000
/** The longest time without one: clients that wait for a minute, and longer while there is progress, are the usual ones. */
const quietMs = 15_000
const maxName = 100

export type Progress = {
  show(event: AgentEvent): void
  /** Called when the call has its result. */
  stop(): void
}

/**
 * Sends the progress of a run, where the client has asked for it: the numbers of its events, which rise over the whole
 * run, and the activity of the agent. Without new events, for example during a long tool call, it reports that the run
 * continues.
 *
 * @param now for tests
 */
export function progressOf({ mcpReq }: ServerContext, now: () => number = () => performance.now()): Progress {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return { show() {}, stop() {} }
  let notes = 0
  let sentAt = Number.NEGATIVE_INFINITY
  let last = 0
  let pulses = 0
  const send = (progress: number, message: string): void => {
    // A client that has left gets none.
    mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => {})
  }
  const timer = setInterval(() => {
    pulses++
    // Above the last one and below the next event, as progress may only rise.
    send(last + pulses / (pulses + 1), 'continues')
  }, quietMs)
  timer.unref()
  return {
    show(event) {
      const message = noteOf(event)
      if (message === undefined) return
      const isPulse = event.type === 'text-delta' || event.type === 'reasoning-delta' || notes >= maxNotes
      if (isPulse && now() - sentAt < pulseMs) return
      if (!isPulse) notes++
      sentAt = now()
      last = event.seq
      pulses = 0
      timer.refresh()
      send(event.seq, message)
    },
    stop: () => clearInterval(timer),
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
  return name.length > maxName ? `${firstChars(name, maxName)}…` : name
}
