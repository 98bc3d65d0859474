import type { Limits } from '../limits.ts'
import type { TextStream } from '../util/server-env.ts'
import type { ProblemError } from './problem.ts'

/** The source of the events of a stream. */
export type EventSource = {
  /** Sends the events until there are no more. It never rejects. */
  read(send: Send): Promise<void>
  /** Called when the client has left, or is disconnected. */
  leave(): void
}

/**
 * Sends one encoded event.
 * @returns resolves when the client has read what waits for it; absent where there is room for more
 */
export type Send = (text: string, options: SendOptions) => Promise<void> | undefined

export type SendOptions = {
  /** The answer begins with this event: its status is 200. */
  beginsAnswer: boolean
  /** The run fails with this event. Before the answer begins, it decides the status. */
  failure?: ProblemError | undefined
  /** The run does not wait for the client: a client that reads too slowly is disconnected, and reads the rest later. */
  isFollowed?: boolean
}

export type EventStreamOptions = {
  limits: Pick<Limits, 'heartbeatMs' | 'stalledMs'>
  /** Called when the run fails after the stream has begun. */
  onFailure(problem: ProblemError): void
  /** Closes the connection of a client that has stopped reading. */
  dropClient(): void
}

/** The length from which a chunk takes no more events, in UTF-16 code units. */
const chunkLength = 64 * 1024
/** A client that follows a run and has this many unread characters is disconnected … */
const maxUnread = 256 * 1024
/** … unless it reads them within this time, in milliseconds: many events may arrive at once. */
const catchUpMs = 1_000

/**
 * Events as the texts of an answer. Each text holds the events that are available at once; a client that stops reading is
 * disconnected. Heartbeats are sent while there are no events, also before the first.
 */
export class EventStream implements TextStream {
  /**
   * Resolves when the answer's status is known: with the problem of a run that fails before its answer begins, otherwise
   * with nothing, when the answer begins or the first heartbeat is due.
   */
  readonly decided: Promise<ProblemError | undefined>
  readonly #source: EventSource
  readonly #options: EventStreamOptions
  #text = 'retry: 2000\n\n'
  /** Absent once the status is decided. */
  #decision: { resolve(problem?: ProblemError): void; timer: NodeJS.Timeout } | undefined
  #hasEnded = false
  #isLeft = false
  #wake: (() => void) | undefined
  /** Resolves when the client has read enough for the source to continue. */
  #room: PromiseWithResolvers<void> | undefined
  #lagging: NodeJS.Timeout | undefined
  #stalled: NodeJS.Timeout | undefined

  constructor(source: EventSource, options: EventStreamOptions) {
    this.#source = source
    this.#options = options
    const { promise, resolve } = Promise.withResolvers<ProblemError | undefined>()
    this.decided = promise
    this.#decision = { resolve, timer: setTimeout(() => this.#decide(), options.limits.heartbeatMs) }
    void source
      .read((text, sent) => this.#send(text, sent))
      .then(() => {
        this.#hasEnded = true
        this.#decide()
        this.#wake?.()
      })
  }

  async next(): Promise<string | undefined> {
    clearTimeout(this.#stalled)
    if (this.#text === '' && !this.#hasEnded && !this.#isLeft) await this.#somethingToSend()
    // Waits one turn of the event loop, so that events that arrive together are sent together.
    if (!this.#hasEnded && !this.#isLeft) await new Promise((turn) => setImmediate(turn))
    if (this.#isLeft) return undefined
    const text = this.#text === '' && !this.#hasEnded ? ': keep-alive\n\n' : this.#text
    if (text === '') return undefined
    this.#text = ''
    this.#makeRoom()
    if (!this.#hasEnded) this.#expectReader()
    return text
  }

  leave(): void {
    this.#isLeft = true
    this.#text = ''
    clearTimeout(this.#stalled)
    this.#source.leave()
    this.#makeRoom()
    this.#wake?.()
  }

  #send(part: string, { beginsAnswer, failure, isFollowed = false }: SendOptions): Promise<void> | undefined {
    if (this.#isLeft) return undefined
    this.#text += part
    if (failure && !this.#decision) this.#options.onFailure(failure)
    if (failure || beginsAnswer) this.#decide(failure)
    this.#wake?.()
    if (this.#text.length < (isFollowed ? maxUnread : chunkLength)) return undefined
    if (isFollowed) this.#lagging ??= setTimeout(() => this.#drop(), catchUpMs)
    this.#room ??= Promise.withResolvers<void>()
    return this.#room.promise
  }

  #decide(problem?: ProblemError): void {
    if (!this.#decision) return
    const { resolve, timer } = this.#decision
    this.#decision = undefined
    clearTimeout(timer)
    if (!problem) this.#expectReader()
    resolve(problem)
  }

  /** Resolves when there is text, at the end, and when a heartbeat is due. */
  async #somethingToSend(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((ready) => {
      this.#wake = ready
      timer = setTimeout(ready, this.#options.limits.heartbeatMs)
    })
    clearTimeout(timer)
  }

  #makeRoom(): void {
    clearTimeout(this.#lagging)
    this.#lagging = undefined
    this.#room?.resolve()
    this.#room = undefined
  }

  #expectReader(): void {
    if (!this.#isLeft) this.#stalled = setTimeout(() => this.#drop(), this.#options.limits.stalledMs)
  }

  #drop(): void {
    this.leave()
    this.#options.dropClient()
  }
}

const encoder = new TextEncoder()

/** An event stream as the body of a Response, for all other servers. */
export function webStream(texts: TextStream): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const text = await texts.next()
        if (text === undefined) controller.close()
        else controller.enqueue(encoder.encode(text))
      },
      cancel: () => texts.leave(),
    },
    { highWaterMark: 0 },
  )
}
