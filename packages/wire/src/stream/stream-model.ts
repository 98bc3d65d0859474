import { AgentKitError, isAgentKitError, type ModelEvent } from '@agentkit/core'
import { abortError } from '@agentkit/core/internal'
import { type Callee, requestIdOf } from '../errors/provider-error.ts'
import { type CallTimeouts, CallWatch } from './call-watch.ts'
import type { Frame } from './frame.ts'
import { type Framing, readFrames } from './read-frames.ts'

/** Turns the frames of one answer into events, which it keeps until they are taken. */
export interface FrameReader {
  /** @returns whether this frame ends the answer */
  read(frame: Frame): boolean
  /** Adds the `finish`, or throws `incomplete-stream` when the answer has not said why it ended. */
  finish(): void
  /** The events since the last call. */
  take(): ModelEvent[]
}

/** One call of a model on the wire. */
export type ModelCall = Callee & {
  /** The caller's. */
  signal: AbortSignal
  timeouts: Required<CallTimeouts>
  /** Told before the answer, as `warning` events. */
  warnings: readonly string[]
  /** Loads what `send` needs, such as an SDK. */
  ready?(): Promise<unknown>
  /** Sends the request; the answer's body is read here. */
  send(signal: AbortSignal): Promise<Response>
  reader: FrameReader
  /** How the answer is cut; `sse` when absent. */
  framing?: Framing
  /** Turns what `send` throws, and what breaks in the stream, into an AgentKitError. */
  toError(error: unknown): AgentKitError
}

/**
 * One attempt of a model: sends the request when it is first asked for an event, and reads the answer. However it
 * ends (finish, failure, abort, timeout, a reader that leaves) the socket is given back or closed.
 */
export function streamModel(call: ModelCall): EventIterator<ModelEvent> {
  const watch = new CallWatch(call.signal, call.timeouts, call)
  return new EventIterator(readBatches(call, watch), watch)
}

async function* readBatches(call: ModelCall, watch: CallWatch): AsyncGenerator<ModelEvent[], void> {
  const { reader, warnings, framing = 'sse', provider, model } = call
  let complete = false
  let headers: Headers | undefined
  try {
    if (call.signal.aborted) throw abortError(call.signal, call)
    if (warnings.length > 0) yield warnings.map((message) => ({ type: 'warning', message }))
    if (call.ready) {
      watch.listen()
      // What has to be loaded first is not the server's silence.
      await watch.race(call.ready())
    }
    watch.start()
    const response = await watch.race(send(call, watch))
    headers = response.headers
    const frames = readFrames(response, { watch, framing, provider, model })
    try {
      while (!complete) {
        const { ended, failure } = readAll(reader, await frames.read(), call)
        const events = reader.take()
        complete = ended
        if (complete) watch.settle()
        if (events.length > 0) yield events
        // An abort after the last event comes too late; one before it is told by the iterator.
        if (watch.failure && !complete) throw watch.failure
        if (failure !== undefined) throw failure
      }
    } finally {
      frames.close(complete)
    }
  } catch (error) {
    throw withRequestId(watch.failure ?? (isAgentKitError(error) ? error : call.toError(error)), headers)
  } finally {
    watch.stop()
    if (!complete) watch.cancel()
  }
}

/** What fails in the middle of an answer knows nothing of its headers. */
function withRequestId(error: AgentKitError, headers: Headers | undefined): AgentKitError {
  const requestId = error.requestId ?? requestIdOf(headers)
  return requestId === undefined ? error : Object.assign(error, { requestId })
}

async function send({ send }: ModelCall, watch: CallWatch): Promise<Response> {
  const response = await send(watch.signal)
  // The call has ended meanwhile, and nobody else will close this.
  if (watch.failure) await response.body?.cancel()
  return response
}

/** What came before a frame that fails is told before the failure. */
function readAll(
  reader: FrameReader,
  frames: Frame[] | undefined,
  callee: Callee,
): { ended: boolean; failure?: unknown } {
  try {
    const ended = frames === undefined || frames.some((frame) => reader.read(frame))
    if (ended) reader.finish()
    return { ended }
  } catch (failure) {
    return { ended: false, failure: isAgentKitError(failure) ? failure : unreadable(failure, callee) }
  }
}

/** A field is of another kind than the provider's documentation says, and nobody looked. */
function unreadable(cause: unknown, { provider, model }: Callee): AgentKitError {
  const message = `${provider} sent an event that cannot be read.`
  return new AgentKitError('malformed-stream', message, { provider, model, retryable: true, cause })
}

/**
 * Hands out the events of a generator of batches one by one. An event that is waiting costs one settled promise,
 * not a turn of a generator: that is most of what a streamed token costs.
 */
export class EventIterator<Event> implements AsyncIterableIterator<Event> {
  readonly #batches: AsyncGenerator<Event[], void>
  readonly #watch: CallWatch
  #batch: Event[] = []
  #index = 0
  #refilling: Promise<IteratorResult<Event>> | undefined

  constructor(batches: AsyncGenerator<Event[], void>, watch: CallWatch) {
    this.#batches = batches
    this.#watch = watch
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** The next event, if it has come. */
  ready(): Event | undefined {
    return this.#index < this.#batch.length && !this.#watch.failure ? this.#batch[this.#index++] : undefined
  }

  next(): Promise<IteratorResult<Event>> {
    if (this.#refilling !== undefined) return this.#refilling.then(this.#again, this.#again)
    // After an abort, what is waiting is not told any more.
    if (this.#index < this.#batch.length && !this.#watch.failure) {
      return Promise.resolve({ done: false, value: this.#batch[this.#index++] as Event })
    }
    const refilling = this.#refill()
    this.#refilling = refilling
    return refilling
  }

  readonly #again = (): Promise<IteratorResult<Event>> => this.next()

  async return(): Promise<IteratorResult<Event>> {
    this.#batch = []
    // First the call, or the generator would finish its pending read before it hears of this.
    if (this.#refilling !== undefined) this.#watch.cancel()
    await this.#batches.return()
    return { done: true, value: undefined }
  }

  async #refill(): Promise<IteratorResult<Event>> {
    try {
      const untold = this.#index < this.#batch.length
      const { done, value } = await this.#batches.next()
      if (done && untold && this.#watch.failure) throw this.#watch.failure
      if (done) return { done, value: undefined }
      this.#batch = value
      this.#index = 1
      // Batches are never empty.
      return { done: false, value: value[0] as Event }
    } finally {
      this.#refilling = undefined
    }
  }
}
