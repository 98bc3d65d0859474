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
  /** Adds the `finish`, or throws `incomplete-stream` when the answer has not given a reason for its end. */
  finish(): void
  /** The events since the last call. */
  take(): ModelEvent[]
}

/** One call of a model on the wire. */
export type ModelCall = Callee & {
  /** The signal of the caller. */
  signal: AbortSignal
  timeouts: Required<CallTimeouts>
  /** Emitted before the answer, as `warning` events. */
  warnings: readonly string[]
  /** Loads what `send` needs, such as an SDK; `undefined` where that is loaded. */
  load?(): Promise<unknown> | undefined
  /** Sends the request; the answer's body is read here. */
  send(signal: AbortSignal): Promise<Response>
  reader: FrameReader
  /** How the answer is cut; `sse` when absent. */
  framing?: Framing
  /** Turns what `send` throws, and what breaks in the stream, into an AgentKitError. */
  toError(error: unknown): AgentKitError
}

/**
 * The events of one call. The request is sent when the first event is asked for. However the call ends (finish, failure,
 * abort, timeout, a reader that stops early) its socket is reused or closed.
 *
 * Events are read in batches, one for each read of the socket. An event of a batch costs one settled promise, or none
 * by `ready()`: that is most of the cost of a streamed token.
 */
export class ModelStream implements AsyncIterableIterator<ModelEvent> {
  readonly #watch: CallWatch
  readonly #batches: AsyncGenerator<ModelEvent[], void>
  #batch: ModelEvent[] = []
  #index = 0
  #pending: Promise<IteratorResult<ModelEvent>> | undefined

  constructor(call: ModelCall) {
    this.#watch = new CallWatch(call.signal, call.timeouts, call)
    this.#batches = readBatches(call, this.#watch)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** The next event, if it has arrived. */
  ready(): ModelEvent | undefined {
    // After an abort, events that have arrived are not emitted.
    return this.#index < this.#batch.length && !this.#watch.failure ? this.#batch[this.#index++] : undefined
  }

  next(): Promise<IteratorResult<ModelEvent>> {
    if (this.#pending !== undefined) return this.#pending.then(this.#again, this.#again)
    const value = this.ready()
    if (value) return Promise.resolve({ done: false, value })
    this.#pending = this.#batches.next().then(this.#takeBatch, this.#fail)
    return this.#pending
  }

  async return(): Promise<IteratorResult<ModelEvent>> {
    this.#batch = []
    // The generator would otherwise complete its pending read first.
    if (this.#pending !== undefined) this.#watch.cancel()
    await this.#batches.return()
    return { done: true, value: undefined }
  }

  readonly #again = (): Promise<IteratorResult<ModelEvent>> => this.next()

  readonly #takeBatch = ({ done, value }: IteratorResult<ModelEvent[], void>): IteratorResult<ModelEvent> => {
    this.#pending = undefined
    const isCut = this.#index < this.#batch.length
    this.#batch = value ?? []
    this.#index = 1
    if (done && isCut && this.#watch.failure) throw this.#watch.failure
    const [first] = this.#batch
    return first ? { done: false, value: first } : { done: true, value: undefined }
  }

  readonly #fail = (error: unknown): never => {
    this.#pending = undefined
    this.#batch = []
    throw error
  }
}

/** Sends the request and reads its answer; no batch is empty. */
async function* readBatches(call: ModelCall, watch: CallWatch): AsyncGenerator<ModelEvent[], void> {
  const { reader, warnings, framing = 'sse', provider, model } = call
  let complete = false
  let answer: Response | undefined
  try {
    if (call.signal.aborted) throw abortError(call.signal, call)
    if (warnings.length > 0) yield warnings.map((message) => ({ type: 'warning', message }))
    const loading = call.load?.()
    if (loading !== undefined) {
      watch.listen()
      // The time that loading takes is not the server's silence.
      await watch.race(loading)
    }
    watch.start()
    const sent = call.send(watch.signal)
    // Nothing else closes an answer that arrives after the call has ended.
    sent.then((response) => watch.failure && response.body?.cancel()).catch(() => {})
    const response = await watch.race(sent)
    answer = response
    const frames = readFrames(response, { watch, framing, provider, model })
    try {
      while (!complete) {
        const { ended, failure } = readAll(reader, await frames.read(), call)
        const events = reader.take()
        complete = ended
        if (complete) watch.settle()
        if (events.length > 0) yield events
        // An abort after the last event is too late; ModelStream reports one before it.
        if (watch.failure && !complete) throw watch.failure
        if (failure !== undefined) throw failure
      }
    } finally {
      frames.close(complete)
    }
  } catch (error) {
    throw withRequestId(watch.failure ?? (isAgentKitError(error) ? error : call.toError(error)), answer)
  } finally {
    watch.stop()
    if (!complete) watch.cancel()
  }
}

/** A failure in the middle of an answer does not carry its headers. */
function withRequestId(error: AgentKitError, answer: Response | undefined): AgentKitError {
  const requestId = error.requestId ?? requestIdOf(answer?.headers)
  return requestId === undefined ? error : Object.assign(error, { requestId })
}

/** The events before a frame that fails are emitted before the failure. */
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

/** A field has another type than the provider's documentation says. */
function unreadable(cause: unknown, { provider, model }: Callee): AgentKitError {
  const message = `${provider} sent an event that cannot be read.`
  return new AgentKitError('malformed-stream', message, { provider, model, retryable: true, cause })
}
