import { invalidArgument } from '../../data/errors.ts'
import type { AgentEvent, AgentEventBody } from '../../data/event.ts'
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

type EventSource = {
  runId: string
  /** From the outermost agent in. */
  path: readonly string[]
  /** False when no reader can follow. */
  keepEvents: boolean
  /** Called when the reader receives `run-end`. */
  onEndRead?(): void
}

type Result = IteratorResult<AgentEvent, undefined>

/**
 * The events of one run between the run, which emits them, and the one reader that iterates it. A class: a server holds
 * one for each open stream, and a closure for each of its methods would take more memory than its fields.
 */
export class EventBuffer implements EventControl {
  readonly #runId: string
  readonly #path: readonly string[]
  readonly #onEndRead: (() => void) | undefined
  #seq = 0
  #shownRunId: string
  #buffered: AgentEvent[] = []
  #nextIndex = 0
  #bytes = 0
  #mode: 'unread' | 'read' | 'dropped'
  #isClosed = false
  #hasRunEnd = false
  #neverWaits = false
  #readers: ((result: Result) => void)[] = []
  #room: PromiseWithResolvers<void> | undefined
  #record: ((event: AgentEvent) => Promise<void> | undefined) | undefined
  #held: AgentEvent[] | undefined

  constructor({ runId, path, keepEvents, onEndRead }: EventSource) {
    this.#runId = this.#shownRunId = runId
    this.#path = path
    this.#onEndRead = onEndRead
    this.#mode = keepEvents ? 'unread' : 'dropped'
  }

  /** Returns a promise when the run has to wait until the reader has read the buffered events. */
  emit(body: AgentEventBody, inner?: readonly string[]): Promise<void> | undefined {
    // `run-end` is the last event. A member that the run did not wait for may emit more, which is dropped.
    if (this.#hasRunEnd) return undefined
    this.#hasRunEnd = body.type === 'run-end'
    this.#seq++
    if (this.#mode === 'dropped' && !this.#record && !this.#held) return undefined
    const path = inner ? [...this.#path, ...inner] : [...this.#path]
    const event = toEvent(this.#seq, this.#shownRunId, path, body)
    if (this.#held) {
      this.#held.push(event)
      return undefined
    }
    const recorded = this.#record?.(event)
    const delivered = this.#deliver(event)
    return recorded === undefined ? delivered : recorded.then(() => delivered)
  }

  lastSeq(): number {
    return this.#seq
  }

  isRecorded(): boolean {
    return this.#record !== undefined
  }

  isFollowed(): boolean {
    return this.#record !== undefined || this.#mode !== 'dropped'
  }

  continueFrom(seq: number): void {
    this.#seq = seq
  }

  recordTo(listener: (event: AgentEvent) => Promise<void> | undefined, ofRun: string = this.#runId): void {
    this.#record = listener
    this.#shownRunId = ofRun
  }

  hold(): HeldEvents {
    const events: AgentEvent[] = []
    this.#held = events
    const before = this.#seq
    return {
      events,
      release: (passes = () => true) => {
        this.#held = undefined
        for (const event of events) if (passes(event)) void this.#deliver(event)
      },
      drop: () => {
        this.#held = undefined
        this.#seq = before
        this.#hasRunEnd = false
      },
    }
  }

  relay(event: AgentEvent): Promise<void> | undefined {
    this.#seq = event.seq
    this.#hasRunEnd = event.type === 'run-end'
    return this.#deliver(event)
  }

  reopen(): void {
    this.#hasRunEnd = false
  }

  next(): Promise<Result> {
    const value = this.#buffered[this.#nextIndex]
    if (value !== undefined) {
      this.#nextIndex++
      if (value.type === 'run-end') this.#onEndRead?.()
      if (this.#nextIndex === this.#buffered.length) {
        this.#clear()
        this.#release()
      }
      return Promise.resolve({ done: false, value })
    }
    if (this.#isClosed) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve) => this.#readers.push(resolve))
  }

  /** @throws AgentKitError `invalid-argument` when the events are dropped already */
  attachReader(): void {
    if (this.#mode === 'dropped') {
      throw invalidArgument(
        `The events of run ${this.#runId} were not read while it ran, and are gone. Iterate it before awaiting its result.`,
      )
    }
    this.#mode = 'read'
  }

  detachReader(): void {
    this.#drop()
    this.#isClosed = true
  }

  /** From now on the run never waits for its reader. */
  stopWaiting(): void {
    this.#neverWaits = true
    this.#release()
  }

  end(): void {
    this.#isClosed = true
    for (const reader of this.#readers) reader({ done: true, value: undefined })
    this.#readers = []
  }

  #deliver(event: AgentEvent): Promise<void> | undefined {
    if (this.#mode === 'dropped') return undefined
    const reader = this.#readers.shift()
    if (reader) {
      if (event.type === 'run-end') this.#onEndRead?.()
      reader({ done: false, value: event })
      return undefined
    }
    this.#buffered.push(event)
    this.#bytes += sizeOf(event)
    if (this.#bytes <= limits.eventBufferBytes) return undefined
    if (this.#mode === 'unread') {
      this.#drop()
      return undefined
    }
    if (this.#neverWaits) return undefined
    this.#room ??= Promise.withResolvers()
    return this.#room.promise
  }

  #drop(): void {
    this.#mode = 'dropped'
    this.#clear()
    this.#release()
  }

  #clear(): void {
    this.#buffered = []
    this.#nextIndex = this.#bytes = 0
  }

  /** Lets the run continue that waits for its reader. */
  #release(): void {
    this.#room?.resolve()
    this.#room = undefined
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
