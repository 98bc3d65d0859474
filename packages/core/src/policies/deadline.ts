import { AgentKitError, type ErrorDetails, type TimeoutPhase } from '../data/errors.ts'
import { limits } from '../limits.ts'
import { linkSignal } from '../util/async/abort.ts'
import { budgetError } from './account.ts'
import type { Ledger } from './ledger.ts'

/** The deadline of a run. */
export type Deadline = {
  /** Ends the run if its time is up, even if the timer has not fired yet. */
  check(): void
  /** Stops the clock while a person is asked. @returns starts it again, once all that stopped it have started it */
  hold(): () => void
  stop(): void
}

/**
 * Ends a run when its time is up.
 * @param within the whole time that it had, for the error
 */
export function startDeadline(
  end: (error: AgentKitError) => void,
  timeoutMs: number | undefined,
  within = `within ${timeoutMs} ms`,
): Deadline {
  if (timeoutMs === undefined) return { check() {}, hold: () => () => {}, stop() {} }
  return startCountdown(timeoutMs, () => {
    const message = `The run did not end ${within}.`
    end(new AgentKitError('timeout', message, { phase: 'run', retryable: true }))
  })
}

function startCountdown(timeoutMs: number, expire: () => void): Deadline {
  let endsAt = performance.now() + timeoutMs
  let timer = setTimeout(expire, timeoutMs)
  let holds = 0
  let left = 0
  let isStopped = false
  return {
    check() {
      if (holds === 0 && performance.now() >= endsAt) expire()
    },
    hold() {
      if (holds++ === 0) left = Math.max(0, endsAt - performance.now())
      clearTimeout(timer)
      return () => {
        if (--holds > 0 || isStopped) return
        endsAt = performance.now() + left
        timer = setTimeout(expire, left)
      }
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** Watches a run's budget of seconds. */
export type BudgetClock = {
  /** Called when less time may be left than before. */
  look(): void
  stop(): void
}

/** Ends a run when its budget of seconds is used up. */
export function startBudgetClock(end: (error: AgentKitError) => void, ledger: Ledger): BudgetClock {
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = (): void => {
    clearTimeout(timer)
    const left = ledger.msLeft()
    if (left <= 0) end(budgetError('its seconds are over'))
    // When the timer fires, time may be left: the ledger's clock may have been paused meanwhile.
    else if (left < Number.POSITIVE_INFINITY) timer = setTimeout(look, waitFor(left, ledger))
  }
  look()
  return { look, stop: () => clearTimeout(timer) }
}

/** The delay of the next check; short while the clock is paused, as it may continue at any time. */
function waitFor(left: number, ledger: Ledger): number {
  return Math.min(Math.max(Math.ceil(left), ledger.isPaused() ? 250 : 0), limits.longestTimerMs)
}

/** Ends one model call: by the run's signal, or when the model is silent for too long. */
export type CallWatch = {
  signal: AbortSignal
  /** Called when the model has sent something. */
  received(): void
  /** Called when the model waits for its reader, which does not count as silence. */
  hold(): void
  stop(): void
}

/**
 * Bounds the silence of any Model. The provider packages have shorter timeouts of their own, which see every byte.
 */
export function watchSilence(runSignal: AbortSignal, longestMs: number, modelId: string): CallWatch {
  // Any code may say how long its model may be silent; a timer with a longer delay fires at once.
  const silenceMs = Math.min(longestMs, limits.longestTimerMs)
  const controller = new AbortController()
  const unlink = linkSignal(controller, runSignal)
  let lastActivity = performance.now()
  let phase: SilencePhase = 'first-byte'
  let held = false
  const check = (): void => {
    const silence = held ? 0 : performance.now() - lastActivity
    if (silence < silenceMs) {
      timer = setTimeout(check, silenceMs - silence)
      return
    }
    controller.abort(silenceError(`The model "${modelId}"`, phase, silenceMs))
  }
  let timer = setTimeout(check, silenceMs)
  return {
    signal: controller.signal,
    received() {
      phase = 'idle'
      held = false
      lastActivity = performance.now()
    },
    hold() {
      held = true
    },
    stop() {
      clearTimeout(timer)
      unlink()
    },
  }
}

/** A signal that aborts with the run or when the tool times out. */
export function startToolDeadline(runSignal: AbortSignal, timeoutMs: number): Deadline & { signal: AbortSignal } {
  const controller = new AbortController()
  const unlink = linkSignal(controller, runSignal)
  const countdown = startCountdown(timeoutMs, () => {
    const message = `The tool did not finish within ${timeoutMs} ms.`
    controller.abort(new AgentKitError('timeout', message, { phase: 'tool' }))
  })
  return {
    ...countdown,
    signal: controller.signal,
    stop() {
      countdown.stop()
      unlink()
    },
  }
}

/** The phases in which a model may be silent: before its first byte, and between bytes. */
export type SilencePhase = Extract<TimeoutPhase, 'first-byte' | 'idle'>

const silences: Readonly<Record<SilencePhase, string>> = {
  'first-byte': 'did not begin to answer',
  idle: 'stopped in the middle of its answer: nothing came',
}

/**
 * The error of a model, or its provider, that was silent for too long.
 * @param who begins the sentence: `The model "acme/small"`, `openai`
 * @param timeoutMs absent when a timer of Node or of an SDK ended the wait
 */
export function silenceError(
  who: string,
  phase: SilencePhase,
  timeoutMs?: number,
  details: ErrorDetails = {},
): AgentKitError {
  const wait = timeoutMs === undefined ? 'in time' : `within ${timeoutMs} ms`
  return new AgentKitError('timeout', `${who} ${silences[phase]} ${wait}.`, { ...details, phase, retryable: true })
}
