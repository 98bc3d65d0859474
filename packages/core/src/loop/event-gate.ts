import type { AgentEventBody, Emit } from '../data/event.ts'
import type { JSONValue } from '../data/message.ts'
import type { Reply } from '../runs/reply.ts'
import { cloneJSON } from '../util/clone-json.ts'

/** Holds the events of a step back while its reply may be changed. */
export type EventGate = {
  emit: Emit
  isBuffering(): boolean
  /** Drops the buffered events of an earlier attempt. */
  restart(isBuffering: boolean): void
  /** Emits the buffered events, or others in their place, without the call of the tool that takes the answer. */
  release(instead: AgentEventBody[] | undefined, finalTool: string | undefined): Promise<void>
}

export function eventGate(emit: Emit): EventGate {
  let isBuffering = false
  let buffered: AgentEventBody[] = []
  return {
    emit(event) {
      if (!isBuffering) return emit(event)
      buffered.push(event)
      return undefined
    },
    isBuffering: () => isBuffering,
    restart(shallBuffer) {
      isBuffering = shallBuffer
      buffered = []
    },
    async release(instead = buffered, finalTool) {
      for (const event of instead) {
        if (event.type !== 'tool-call' || event.name !== finalTool) await emit(event)
      }
    },
  }
}

/** The events of a reply as it is now. */
export function eventsOf({ text, calls }: Reply): AgentEventBody[] {
  const events: AgentEventBody[] = text === '' ? [] : [{ type: 'text-delta', text }]
  for (const { callId, name, input, inputText } of calls) {
    events.push({ type: 'tool-call', callId, name, input: inputText ?? cloneJSON(input as JSONValue) })
  }
  return events
}
