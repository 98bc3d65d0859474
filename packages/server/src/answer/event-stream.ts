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

export type EventStream = TextStream & {
  /**
   * Resolves when the answer's status is known: with the problem of a run that fails before its answer begins, otherwise
   * with nothing, when the answer begins or the first heartbeat is due.
   */
  decided: Promise<ProblemError | undefined>
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
export function eventStream(source: EventSource, options: EventStreamOptions): EventStream {
  const { heartbeatMs, stalledMs } = options.limits
  const { promise: decided, resolve } = Promise.withResolvers<ProblemError | undefined>()
  let text = 'retry: 2000\n\n'
  let isDecided = false
  let ended = false
  let gone = false
  let wake = (): void => {}
  /** Resolves when the client has read enough for the source to continue. */
  let room: PromiseWithResolvers<void> | undefined
  let lagging: NodeJS.Timeout | undefined
  let stalled: NodeJS.Timeout | undefined
  const undecided = setTimeout(() => decide(), heartbeatMs)

  const decide = (problem?: ProblemError): void => {
    if (isDecided) return
    isDecided = true
    clearTimeout(undecided)
    if (!problem) expectReader()
    resolve(problem)
  }
  const send: Send = (part, { beginsAnswer, failure, isFollowed = false }) => {
    if (gone) return undefined
    text += part
    if (failure && isDecided) options.onFailure(failure)
    if (failure || beginsAnswer) decide(failure)
    wake()
    if (text.length < (isFollowed ? maxUnread : chunkLength)) return undefined
    if (isFollowed) lagging ??= setTimeout(drop, catchUpMs)
    room ??= Promise.withResolvers<void>()
    return room.promise
  }
  const makeRoom = (): void => {
    clearTimeout(lagging)
    lagging = undefined
    room?.resolve()
    room = undefined
  }
  const expectReader = (): void => {
    if (!gone) stalled = setTimeout(drop, stalledMs)
  }
  const drop = (): void => {
    leave()
    options.dropClient()
  }
  const leave = (): void => {
    gone = true
    text = ''
    clearTimeout(stalled)
    source.leave()
    makeRoom()
    wake()
  }
  /** Resolves when there is text, at the end, and when a heartbeat is due. */
  const somethingToSend = async (): Promise<void> => {
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((ready) => {
      wake = ready
      timer = setTimeout(ready, heartbeatMs)
    })
    clearTimeout(timer)
  }

  void source.read(send).then(() => {
    ended = true
    decide()
    wake()
  })
  const next = async (): Promise<string | undefined> => {
    clearTimeout(stalled)
    if (text === '' && !ended && !gone) await somethingToSend()
    // Waits one turn of the event loop, so that events that arrive together are sent together.
    if (!ended && !gone) await new Promise((turn) => setImmediate(turn))
    if (gone) return undefined
    if (text === '') return ended ? undefined : sending(': keep-alive\n\n')
    return sending(text)
  }
  const sending = (sent: string): string => {
    text = ''
    makeRoom()
    if (!ended) expectReader()
    return sent
  }
  return { decided, next, leave }
}

const encoder = new TextEncoder()

/** An event stream as the body of a Response, for all other servers. */
export function webStream({ next, leave }: TextStream): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const text = await next()
        if (text === undefined) controller.close()
        else controller.enqueue(encoder.encode(text))
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  )
}
