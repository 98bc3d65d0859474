import { type AgentEvent, type AgentRun, type ErrorInfo, isAgentKitError } from '@agentkit/core'
import { toErrorInfo } from '@agentkit/core/internal'
import type { Limits } from '../limits.ts'
import { encodeEvent } from './encode-event.ts'
import { failureOf, ProblemError, thrownProblem } from './problem.ts'

export type EventStreamOptions = {
  limits: Pick<Limits, 'heartbeatMs' | 'stalledMs'>
  /** Told when the run fails after the stream has begun. */
  onFailure(problem: ProblemError): void
  /** Cuts the connection of a client that has stopped reading. */
  dropClient(): void
}

export type EventStream = {
  /**
   * Resolves when the answer's status is known: to the problem of a run that failed before it told anything, or to
   * nothing at the first event that does, at the run's end, or when a sign of life is due.
   */
  decided: Promise<ProblemError | undefined>
  body: ReadableStream<Uint8Array>
  /** Resolves when the run is over, whatever became of the reader, and also when it never started. */
  finished: Promise<void>
}

/** Text that may wait for its reader; then the run waits. In UTF-16 code units. */
const maxPending = 64 * 1024
const encoder = new TextEncoder()

/**
 * A run's events as the body of an answer. The reader pulls; what is ready at once goes out in one chunk. A reader
 * that leaves cancels the run.
 *
 * @param starting the run, once it has a place; signs of life are sent meanwhile. It rejects when there is none.
 */
export function eventStream(starting: Promise<AgentRun>, options: EventStreamOptions): EventStream {
  const { heartbeatMs, stalledMs } = options.limits
  const decision = Promise.withResolvers<ProblemError | undefined>()
  let pending = 'retry: 2000\n\n'
  /** Since when there is something pending that the reader could take. */
  let waitingSince = 0
  let begun = false
  let ended = false
  let gone = false
  let cancelled = false
  let run: AgentRun | undefined
  let wakeReader: (() => void) | undefined
  let makeRoom: (() => void) | undefined

  const decide = (problem?: ProblemError): void => {
    if (begun) return
    begun = true
    waitingSince = performance.now()
    decision.resolve(problem)
  }
  const tell = (text: string): void => {
    if (pending === '') waitingSince = performance.now()
    pending += text
    const wake = wakeReader
    wakeReader = undefined
    // One turn of the event loop later, so that what arrives together leaves together.
    if (wake) setImmediate(wake)
  }
  const leave = (): void => {
    gone = true
    clearInterval(heartbeat)
    run?.cancel()
    makeRoom?.()
    wakeReader?.()
  }
  const heartbeat = setInterval(() => {
    if (!begun) decide()
    else if (pending === '') tell(': keep-alive\n\n')
    else if (performance.now() - waitingSince >= stalledMs) {
      leave()
      options.dropClient()
    }
  }, heartbeatMs)

  const fail = (problem: ProblemError): void => {
    if (!begun) decide(problem)
    else if (!gone) options.onFailure(problem)
  }
  const pump = async (): Promise<void> => {
    let last: AgentEvent | undefined
    try {
      run = await starting
      for await (const event of run) {
        last = event
        tell(encodeEvent(event))
        const failure = event.type === 'run-end' ? failureOf(event) : undefined
        if (failure) fail(failure)
        else if (tellsSomething(event)) decide()
        if (gone) break
        if (pending.length >= maxPending) await new Promise<void>((resolve) => (makeRoom = resolve))
      }
    } catch (error) {
      // Only a run without a place, or one that breaks its contract, throws; its reader still gets a `run-end`.
      tell(encodeEvent(brokenRunEnd(run?.runId ?? '', last, error)))
      fail(thrownProblem(error))
    } finally {
      ended = true
      decide()
      tell('')
    }
    await run?.result.catch(() => {})
  }

  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (pending === '' && !ended) await new Promise<void>((resolve) => (wakeReader = resolve))
        if (cancelled) return
        if (pending !== '') controller.enqueue(encoder.encode(pending))
        pending = ''
        makeRoom?.()
        if (!ended) return
        clearInterval(heartbeat)
        controller.close()
      },
      cancel() {
        cancelled = true
        leave()
      },
    },
    { highWaterMark: 0 },
  )
  return { decided: decision.promise, body, finished: pump() }
}

/** Before these, a run has only prepared itself; if it fails now, the answer can still be its status. */
function tellsSomething({ type }: AgentEvent): boolean {
  switch (type) {
    case 'run-start':
    case 'agent-start':
    case 'step-start':
    case 'step-restart':
    case 'model-fallback':
      return false
    default:
      return true
  }
}

function brokenRunEnd(runId: string, last: AgentEvent | undefined, thrown: unknown): AgentEvent {
  const error: ErrorInfo = isAgentKitError(thrown)
    ? toErrorInfo(thrown)
    : thrown instanceof ProblemError && thrown.code === 'overloaded'
      ? { code: 'overloaded', message: '', retryable: true }
      : { code: 'provider-error', message: '', retryable: false }
  const place = { seq: (last?.seq ?? 0) + 1, runId, path: last?.path ?? [] }
  return { ...place, type: 'run-end', finishReason: 'error', text: '', usage: {}, error }
}
