import { invalidArgument } from '../../data/errors.ts'
import type { AgentEvent, AgentEventBody, Emit } from '../../data/event.ts'
import { limits } from '../../limits.ts'

/** How the run controls its events. */
export type EventControl = {
  /** The next event has the number after this one. */
  continueFrom(seq: number): void
  /** The number of the last event. */
  lastSeq(): number
  /** Whether events are given to a listener. */
  isRecorded(): boolean
  /** Whether events are given to a listener, or may be to a reader. */
  isFollowed(): boolean
  /**
   * From now on each event is also given to this listener; the run waits for the promise that it returns.
   * @param ofRun the run whose events they are, if it is another one: the outermost run of a member's
   */
  recordTo(listener: (event: AgentEvent) => Promise<void> | undefined, ofRun?: string): void
  /** From now on events are numbered, but given to no one. */
  hold(): HeldEvents
  /** Gives the reader an event that another process has emitted. */
  relay(event: AgentEvent): Promise<void> | undefined
  /** Begins another segment after a `run-end`. */
  reopen(): void
}

/** Events that are stored before the reader receives them. */
export type HeldEvents = {
  readonly events: readonly AgentEvent[]
  /** Gives them to the reader, or those that pass; not to the listener, as they are stored. */
  release(passes?: (event: AgentEvent) => boolean): void
  /** Takes them back, and their numbers. */
  drop(): void
}

/** The events of one run between the run, which emits them, and the one reader that iterates it. */
export type EventBuffer = EventControl & {
  /** Returns a promise when the run has to wait until the reader has read the buffered events. */
  emit: Emit
  next(): Promise<IteratorResult<AgentEvent, undefined>>
  /** @throws AgentKitError `invalid-argument` when the events are dropped already */
  attachReader(): void
  detachReader(): void
  /** From now on the run never waits for its reader. */
  stopWaiting(): void
  end(): void
}

type EventSource = {
  runId: string
  /** From the outermost agent in. */
  path: readonly string[]
  /** False when no reader can follow. */
  keepEvents: boolean
  /** Called when the reader receives `run-end`. */
  onEndRead?(): void
}

export function eventBuffer({ runId, path, keepEvents, onEndRead }: EventSource): EventBuffer {
  let seq = 0
  let shownRunId = runId
  let buffered: AgentEvent[] = []
  let nextIndex = 0
  let bytes = 0
  let mode: 'unread' | 'read' | 'dropped' = keepEvents ? 'unread' : 'dropped'
  let isClosed = false
  let hasRunEnd = false
  let neverWaits = false
  let readers: ((result: IteratorResult<AgentEvent, undefined>) => void)[] = []
  let makeRoom: (() => void) | undefined
  let room: Promise<void> | undefined

  let record: ((event: AgentEvent) => Promise<void> | undefined) | undefined
  let held: AgentEvent[] | undefined

  const release = (): void => {
    makeRoom?.()
    makeRoom = room = undefined
  }
  const drop = (): void => {
    mode = 'dropped'
    buffered = []
    nextIndex = bytes = 0
    release()
  }

  const deliver = (event: AgentEvent): Promise<void> | undefined => {
    if (mode === 'dropped') return undefined
    const reader = readers.shift()
    if (reader) {
      if (event.type === 'run-end') onEndRead?.()
      reader({ done: false, value: event })
      return undefined
    }
    buffered.push(event)
    bytes += sizeOf(event)
    if (bytes <= limits.eventBufferBytes) return undefined
    if (mode === 'unread') {
      drop()
      return undefined
    }
    if (neverWaits) return undefined
    room ??= new Promise((resolve) => {
      makeRoom = resolve
    })
    return room
  }

  return {
    emit(body, inner) {
      // `run-end` is the last event. A member that the run did not wait for may emit more, which is dropped.
      if (hasRunEnd) return undefined
      hasRunEnd = body.type === 'run-end'
      seq++
      if (mode === 'dropped' && !record && !held) return undefined
      const event = toEvent(seq, shownRunId, inner ? [...path, ...inner] : [...path], body)
      if (held) {
        held.push(event)
        return undefined
      }
      const recorded = record?.(event)
      const delivered = deliver(event)
      return recorded ? recorded.then(() => delivered) : delivered
    },
    lastSeq: () => seq,
    isRecorded: () => record !== undefined,
    isFollowed: () => record !== undefined || mode !== 'dropped',
    continueFrom(last) {
      seq = last
    },
    recordTo(listener, ofRun = runId) {
      record = listener
      shownRunId = ofRun
    },
    hold() {
      const events: AgentEvent[] = []
      held = events
      const before = seq
      return {
        events,
        release(passes = () => true) {
          held = undefined
          for (const event of events) if (passes(event)) void deliver(event)
        },
        drop() {
          held = undefined
          seq = before
          hasRunEnd = false
        },
      }
    },
    relay(event) {
      seq = event.seq
      hasRunEnd = event.type === 'run-end'
      return deliver(event)
    },
    reopen() {
      hasRunEnd = false
    },
    next() {
      const value = buffered[nextIndex]
      if (value !== undefined) {
        nextIndex++
        if (value.type === 'run-end') onEndRead?.()
        if (nextIndex === buffered.length) {
          buffered = []
          nextIndex = bytes = 0
          release()
        }
        return Promise.resolve({ done: false, value })
      }
      if (isClosed) return Promise.resolve({ done: true, value: undefined })
      return new Promise((resolve) => readers.push(resolve))
    },
    attachReader() {
      if (mode === 'dropped') {
        throw invalidArgument(
          `The events of run ${runId} were not read while it ran, and are gone. Iterate it before awaiting its result.`,
        )
      }
      mode = 'read'
    },
    detachReader() {
      drop()
      isClosed = true
    },
    stopWaiting() {
      neverWaits = true
      release()
    },
    end() {
      isClosed = true
      for (const reader of readers) reader({ done: true, value: undefined })
      readers = []
    },
  }
}

/** Most events are text; naming their fields costs half of spreading them. */
function toEvent(seq: number, runId: string, path: string[], body: AgentEventBody): AgentEvent {
  if (body.type === 'text-delta') return { seq, runId, path, type: body.type, text: body.text }
  return { seq, runId, path, ...body }
}

/** About how many bytes an event holds. */
function sizeOf(body: AgentEventBody): number {
  switch (body.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return 64 + body.text.length
    case 'tool-call':
    case 'approval-request':
      return 64 + (JSON.stringify(body.input)?.length ?? 0)
    case 'tool-result':
      return 64 + (typeof body.output === 'string' ? body.output.length : (JSON.stringify(body.output)?.length ?? 0))
    case 'source':
      return 256 + body.source.quote.length
    default:
      return 256
  }
}
