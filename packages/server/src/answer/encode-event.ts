import type { AgentEvent } from '@agentkit/core'
import { publicEvent } from './public-event.ts'

/** An event as text of a stream; empty where it shows nothing. */
export type EncodeEvent = ((event: AgentEvent) => string) & {
  /**
   * The last frame of a stream that is cut while its run continues, for protocols whose clients would take the end of
   * the stream for the end of the run.
   */
  readonly cut?: () => string
}

/** An event as one Server-Sent Event: `event` is its type, `id` its seq, `data` the event as JSON. */
export function encodeEvent(event: AgentEvent): string {
  return `event: ${event.type}\nid: ${event.seq}\ndata: ${toJson(publicEvent(event))}\n\n`
}

/** Values of tools may have no JSON form; then only the plain fields of the event are sent. */
function toJson(event: AgentEvent): string {
  try {
    return JSON.stringify(event)
  } catch {
    const { seq, runId, path, type } = event
    return JSON.stringify({ seq, runId, path, type, ...plainFields(event) })
  }
}

function plainFields(event: AgentEvent): Record<string, unknown> {
  return Object.fromEntries(Object.entries(event).filter(([, value]) => typeof value !== 'object' && !isBigInt(value)))
}

function isBigInt(value: unknown): boolean {
  return typeof value === 'bigint'
}
