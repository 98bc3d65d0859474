import type { AgentEvent } from '../data/event.ts'
import { limits } from '../limits.ts'

/** The events of a run that are not stored yet. */
export type EventQueue = {
  /** Returns a promise when too many events wait: the run has to wait too. */
  add(event: AgentEvent): Promise<void> | undefined
  /** All that wait; `stored` or `restore` follows. */
  take(): AgentEvent[]
  stored(events: readonly AgentEvent[]): void
  /** Puts events back that could not be stored. The run, which ends now, no longer waits. */
  restore(events: readonly AgentEvent[]): void
  isDue(): boolean
  /** The number of the last event that was added. */
  lastSeq(): number
  /** Makes events due that wait. */
  flushSoon(): void
  /** Called when events should be stored. Replaces an earlier listener. */
  onDue(listener: () => void): void
}

export function eventQueue(): EventQueue {
  let waiting: AgentEvent[] = []
  let bytes = 0
  let unsaved = 0
  let lastSeq = 0
  let isDue = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let listener: (() => void) | undefined
  let room: { promise: Promise<void>; resolve(): void } | undefined

  const makeDue = (): void => {
    clearTimeout(timer)
    timer = undefined
    isDue = true
    listener?.()
  }
  return {
    add(event) {
      // A copy: a reader may change what it receives before it is stored.
      const copy: AgentEvent = JSON.parse(JSON.stringify(event))
      waiting.push(copy)
      lastSeq = copy.seq
      unsaved++
      bytes += 'text' in copy ? copy.text.length + 64 : 256
      if (bytes >= limits.eventBatchBytes) makeDue()
      else timer ??= setTimeout(makeDue, limits.eventBatchMs)
      if (unsaved < limits.unsavedEvents) return undefined
      room ??= Promise.withResolvers<void>()
      return room.promise
    },
    take() {
      const taken = waiting
      waiting = []
      bytes = 0
      isDue = false
      clearTimeout(timer)
      timer = undefined
      return taken
    },
    stored({ length }) {
      unsaved -= length
      if (unsaved >= limits.unsavedEvents) return
      room?.resolve()
      room = undefined
    },
    restore(events) {
      waiting = [...events, ...waiting]
      room?.resolve()
      room = undefined
    },
    lastSeq: () => lastSeq,
    isDue: () => isDue,
    flushSoon() {
      if (waiting.length > 0) makeDue()
    },
    onDue(next) {
      listener = next
      if (isDue) next()
    },
  }
}
