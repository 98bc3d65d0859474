import { AgentKitError, type TimeoutPhase } from '@agentkit/core'
import { abortError } from '@agentkit/core/internal'
import type { Callee } from '../errors/provider-error.ts'

/** How long a call may be silent, in milliseconds. */
export type CallTimeouts = {
  /** From before the request is sent to the first byte of the answer; 60,000 when absent. */
  firstByteTimeoutMs?: number
  /** Between two bytes of the answer; 60,000 when absent. */
  idleTimeoutMs?: number
}

const defaultTimeoutMs = 60_000
/** What timers can hold: a longer wait is none. */
const longestTimerMs = 2_147_483_647

/**
 * Checks timeouts as a provider's options give them.
 * @throws AgentKitError `invalid-argument` when one is not a positive number
 */
export function checkTimeouts({ firstByteTimeoutMs, idleTimeoutMs }: CallTimeouts): Required<CallTimeouts> {
  const check = (name: string, value = defaultTimeoutMs): number => {
    if (value > 0) return Math.min(value, longestTimerMs)
    throw new AgentKitError('invalid-argument', `\`${name}\` is a positive number of milliseconds.`)
  }
  return {
    firstByteTimeoutMs: check('firstByteTimeoutMs', firstByteTimeoutMs),
    idleTimeoutMs: check('idleTimeoutMs', idleTimeoutMs),
  }
}

/**
 * What ends one call early: the caller's signal, the first-byte timer, the idle timer, or a reader that leaves.
 * `signal` is what the request is sent with; `failure` says afterwards why the call ended.
 */
export class CallWatch {
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal
  readonly #timeouts: Required<CallTimeouts>
  readonly #callee: Callee
  readonly #endings: ((failure: AgentKitError) => void)[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #phase: TimeoutPhase = 'first-byte'
  #waiting = false
  #failure: AgentKitError | undefined

  constructor(caller: AbortSignal, timeouts: Required<CallTimeouts>, callee: Callee) {
    this.#caller = caller
    this.#timeouts = timeouts
    this.#callee = callee
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Why the call ended early, once it has. */
  get failure(): AgentKitError | undefined {
    return this.#failure
  }

  /**
   * Begins to listen to the caller, while nothing is asked of the server yet.
   * @throws AgentKitError when the caller's signal, or this watch, has ended already
   */
  listen(): void {
    if (this.#caller.aborted) this.#end(abortError(this.#caller, this.#callee))
    if (this.#failure) throw this.#failure
    this.#caller.addEventListener('abort', this.#onAbort, { once: true })
  }

  /**
   * Begins to watch: to be called before the request is sent.
   * @throws AgentKitError when the caller's signal, or this watch, has ended already
   */
  start(): void {
    this.listen()
    this.#waiting = true
    this.#arm(this.#timeouts.firstByteTimeoutMs)
  }

  /** Before each read: silence counts from here. A reader that is slow to ask again is not the server's silence. */
  beforeRead(): void {
    this.#waiting = true
    if (this.#phase === 'idle') this.#timer?.refresh()
  }

  /** After each read that gave bytes. */
  afterRead(): void {
    this.#waiting = false
    if (this.#phase === 'idle') return
    this.#phase = 'idle'
    // Mostly the two waits are the same, and the timer with them.
    if (this.#timeouts.idleTimeoutMs !== this.#timeouts.firstByteTimeoutMs) this.#arm(this.#timeouts.idleTimeoutMs)
  }

  /** The promise, or the failure as soon as the call ends early, even if the promise never settles. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      // It may have ended while the promise was made.
      if (this.#failure) reject(this.#failure)
      this.onEnd(reject)
      promise.then(resolve, reject)
    })
  }

  /** Told when the call ends early: a plain list, since a listener on the signal costs more than all the rest. */
  onEnd(tell: (failure: AgentKitError) => void): void {
    this.#endings.push(tell)
  }

  /** The answer has come, all of it: silence counts no more, but who asked may still turn away. */
  settle(): void {
    clearTimeout(this.#timer)
    this.#waiting = false
  }

  /** The answer is complete: nothing is watched any more, the request is left alone. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#caller.removeEventListener('abort', this.#onAbort)
  }

  /** Ends the call: the request is aborted and its socket closes. */
  cancel(): void {
    this.#end(new AgentKitError('aborted', 'The reader left the stream.', this.#callee))
  }

  readonly #onAbort = (): void => this.#end(abortError(this.#caller, this.#callee))

  #arm(milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#onSilence, milliseconds)
  }

  readonly #onSilence = (): void => {
    if (this.#waiting) this.#end(silence(this.#callee, this.#phase, this.#timeouts))
  }

  #end(failure: AgentKitError): void {
    this.stop()
    if (this.#failure) return
    this.#failure = failure
    this.#controller.abort(failure)
    for (const tell of this.#endings) tell(failure)
  }
}

function silence({ provider, model }: Callee, phase: TimeoutPhase, timeouts: Required<CallTimeouts>): AgentKitError {
  const message =
    phase === 'idle'
      ? `${provider} stopped in the middle of its answer: no byte for ${timeouts.idleTimeoutMs} ms.`
      : `${provider} did not begin to answer within ${timeouts.firstByteTimeoutMs} ms.`
  return new AgentKitError('timeout', message, { provider, model, phase, retryable: true })
}
