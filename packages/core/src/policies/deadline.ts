import { AgentKitError, type ErrorDetails, type TimeoutPhase } from '../data/errors.ts'
import { limits } from '../limits.ts'
import { linkSignal } from '../util/abort.ts'
import { budgetError, type Ledger } from './ledger.ts'

/** The deadline of a run. */
export type Deadline = {
  /** Ends the run where its time is up, also before its timer has had its turn. */
  check(): void
  stop(): void
}

/** Ends a run when its time is up. */
export function startDeadline(end: (error: AgentKitError) => void, timeoutMs: number | undefined): Deadline {
  if (timeoutMs === undefined) return { check() {}, stop() {} }
  const endsAt = performance.now() + timeoutMs
  const expire = (): void => {
    const message = `The run did not end within ${timeoutMs} ms.`
    end(new AgentKitError('timeout', message, { phase: 'run', retryable: true }))
  }
  const timer = setTimeout(expire, timeoutMs)
  return {
    check() {
      if (performance.now() >= endsAt) expire()
    },
    stop: () => clearTimeout(timer),
  }
}

/** Watches a run's budget of seconds. */
export type BudgetClock = {
  /** To be called when there may be less left than there was. */
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
    // When it fires there may be more left: the ledger's clock may have been stopped meanwhile.
    else if (left < Number.POSITIVE_INFINITY) timer = setTimeout(look, waitFor(left, ledger))
  }
  look()
  return { look, stop: () => clearTimeout(timer) }
}

/** The clock may stand still meanwhile: then it is looked at now and again. */
function waitFor(left: number, { isPaused }: Ledger): number {
  return Math.min(Math.max(Math.ceil(left), isPaused ? 250 : 0), limits.longestTimerMs)
}

/** What one model call is bounded by: the run's signal, and the model's silence. */
export type CallWatch = {
  signal: AbortSignal
  /** Something was heard of the model. */
  heard(): void
  /** The model waits for its reader: that is not its silence. */
  hold(): void
  stop(): void
}

/**
 * Watches over the silence of a model that nobody else may be watching: a Model is anybody's code. Provider packages
 * have timers of their own, which see every byte and are shorter.
 */
export function watchSilence(runSignal: AbortSignal, silenceMs: number, modelId: string): CallWatch {
  const controller = new AbortController()
  const unlink = linkSignal(controller, runSignal)
  let lastHeard = performance.now()
  let phase: SilencePhase = 'first-byte'
  let held = false
  const check = (): void => {
    const silence = held ? 0 : performance.now() - lastHeard
    if (silence < silenceMs) {
      timer = setTimeout(check, silenceMs - silence)
      return
    }
    controller.abort(silenceError(`The model "${modelId}"`, phase, silenceMs))
  }
  let timer = setTimeout(check, silenceMs)
  return {
    signal: controller.signal,
    heard() {
      phase = 'idle'
      held = false
      lastHeard = performance.now()
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

/** A signal that aborts with the run or when the tool's time is up. */
export function startToolDeadline(runSignal: AbortSignal, timeoutMs: number): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController()
  const unlink = linkSignal(controller, runSignal)
  const timer = setTimeout(() => {
    const message = `The tool did not finish within ${timeoutMs} ms.`
    controller.abort(new AgentKitError('timeout', message, { phase: 'tool' }))
  }, timeoutMs)
  return {
    signal: controller.signal,
    stop() {
      clearTimeout(timer)
      unlink()
    },
  }
}

/** The waits for a model that is silent. */
export type SilencePhase = Extract<TimeoutPhase, 'first-byte' | 'idle'>

const silences: Readonly<Record<SilencePhase, string>> = {
  'first-byte': 'did not begin to answer',
  idle: 'stopped in the middle of its answer: nothing came',
}

/**
 * The error of a model, or its provider, that was silent for too long.
 * @param who begins the sentence: `The model "acme/small"`, `openai`
 * @param timeoutMs absent where a timer of Node or of an SDK has ended the wait
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
