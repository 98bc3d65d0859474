import { AgentKitError } from '@agentkit/core'
import { abortError, silenceError } from '@agentkit/core/internal'
import type { Callee } from '../errors/provider-error.ts'

/** How long a call may be silent, in milliseconds. */
export type CallTimeouts = {
  /** From before the request is sent to the first byte of the answer; 60,000 when absent. */
  firstByteTimeoutMs?: number
  /** Between two bytes of the answer; 60,000 when absent. */
  idleTimeoutMs?: number
}

const defaultTimeoutMs = 60_000
/** The maximum of `setTimeout`; it fires at once for a longer delay. */
const longestTimerMs = 2_147_483_647

/**
 * Checks the timeouts of a provider's options.
 * @throws AgentKitError `invalid-argument` when one is not a positive number
 */
export function checkTimeouts({ firstByteTimeoutMs, idleTimeoutMs }: CallTimeouts): Required<CallTimeouts> {
  const check = (name: string, value = defaultTimeoutMs): number => {
    if (typeof value === 'number' && value > 0) return Math.min(value, longestTimerMs)
    throw new AgentKitError('invalid-argument', `\`${name}\` is a positive number of milliseconds.`)
  }
  return {
    firstByteTimeoutMs: check('firstByteTimeoutMs', firstByteTimeoutMs),
    idleTimeoutMs: check('idleTimeoutMs', idleTimeoutMs),
  }
}

/**
 * Ends one call early: on the caller's signal, the first-byte timer, the idle timer, or when the reader stops. The request
 * is sent with `signal`; `failure` is the reason once the call has ended early.
 */
export class CallWatch {
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal
  readonly #timeouts: Required<CallTimeouts>
  readonly #callee: Callee
  readonly #listeners: ((failure: AgentKitError) => void)[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #phase: 'first-byte' | 'idle' = 'first-byte'
  #reading = false
  #failure: AgentKitError | undefined

  constructor(caller: AbortSignal, timeouts: Required<CallTimeouts>, callee: Callee) {
    this.#caller = caller
    this.#timeouts = timeouts
    this.#callee = callee
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The reason why the call ended early; `undefined` while it has not. */
  get failure(): AgentKitError | undefined {
    return this.#failure
  }

  /**
   * Listens to the caller's signal, before the request is sent.
   * @throws AgentKitError when the signal has aborted, or the call has ended, already
   */
  listen(): void {
    if (this.#caller.aborted) this.#end(abortError(this.#caller, this.#callee))
    if (this.#failure) throw this.#failure
    this.#caller.addEventListener('abort', this.#onAbort, { once: true })
  }

  /**
   * Starts the timers; called right before the request is sent.
   * @throws AgentKitError when the signal has aborted, or the call has ended, already
   */
  start(): void {
    this.listen()
    this.#reading = true
    this.#arm(this.#timeouts.firstByteTimeoutMs)
  }

  /** Called before each read: silence counts from here. The time between two reads is the reader's. */
  beforeRead(): void {
    this.#reading = true
    if (this.#phase === 'idle') this.#timer?.refresh()
  }

  /** Called after each read that returned bytes. */
  afterRead(): void {
    this.#reading = false
    if (this.#phase === 'idle') return
    this.#phase = 'idle'
    // The two timeouts are mostly equal, and share one timer.
    if (this.#timeouts.idleTimeoutMs !== this.#timeouts.firstByteTimeoutMs) this.#arm(this.#timeouts.idleTimeoutMs)
  }

  /** Settles like the promise; rejects as soon as the call ends early, even if the promise never settles. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      // The call may have ended while the promise was created.
      if (this.#failure) reject(this.#failure)
      this.onEnd(reject)
      promise.then(resolve, reject)
    })
  }

  /** Adds a listener for an early end. A plain list: a listener on the signal costs more than everything else here. */
  onEnd(listener: (failure: AgentKitError) => void): void {
    this.#listeners.push(listener)
  }

  /** The answer has arrived completely: the timers stop, the caller may still abort. */
  settle(): void {
    clearTimeout(this.#timer)
    this.#reading = false
  }

  /** Stops the timers and the listening; does not abort the request. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#caller.removeEventListener('abort', this.#onAbort)
  }

  /** Ends the call: aborts the request and closes its socket. */
  cancel(): void {
    this.#end(new AgentKitError('aborted', 'The reader stopped reading the stream.', this.#callee))
  }

  readonly #onAbort = (): void => this.#end(abortError(this.#caller, this.#callee))

  #arm(milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#onSilence, milliseconds)
  }

  readonly #onSilence = (): void => {
    if (!this.#reading) return
    const { provider, model } = this.#callee
    const { firstByteTimeoutMs, idleTimeoutMs } = this.#timeouts
    const timeoutMs = this.#phase === 'idle' ? idleTimeoutMs : firstByteTimeoutMs
    this.#end(silenceError(provider, this.#phase, timeoutMs, { provider, model }))
  }

  #end(failure: AgentKitError): void {
    this.stop()
    if (this.#failure) return
    this.#failure = failure
    this.#controller.abort(failure)
    for (const listener of this.#listeners) listener(failure)
  }
}
