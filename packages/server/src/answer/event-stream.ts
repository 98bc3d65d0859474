import { type AgentEvent, type AgentRun, type ErrorInfo, isAgentKitError } from '@agentkit/core'
import { toErrorInfo } from '@agentkit/core/internal'
import type { Limits } from '../limits.ts'
import { encodeEvent } from './encode-event.ts'
import { ProblemError, runProblem, thrownProblem } from './problem.ts'

export type EventStreamOptions = {
  limits: Pick<Limits, 'heartbeatMs' | 'stalledMs'>
  /** Called when the run fails after the stream has begun. */
  onFailure(problem: ProblemError): void
  /** Closes the connection of a client that has stopped reading. */
  dropClient(): void
}

export type EventStream = {
  /**
   * Resolves when the answer's status is known: with the problem of a run that fails before its answer begins, otherwise
   * with nothing, when the answer begins or the first heartbeat is due.
   */
  decided: Promise<ProblemError | undefined>
  body: ReadableStream<Uint8Array>
  /** Resolves when the run has settled, whether or not its events were read, and also when it never started. */
  finished: Promise<void>
}

/** The length from which a chunk takes no more events, in UTF-16 code units. */
const chunkLength = 64 * 1024
const encoder = new TextEncoder()

/**
 * The events of a run as the body of an answer. Each chunk holds the events that are available at once; the client's
 * reading paces the run. A client that leaves, or stops reading, cancels the run.
 *
 * @param starting the run, once it has a place; heartbeats are sent until then. It rejects when there is no place.
 */
export function eventStream(starting: Promise<AgentRun>, options: EventStreamOptions): EventStream {
  const { heartbeatMs, stalledMs } = options.limits
  const { promise: decided, resolve } = Promise.withResolvers<ProblemError | undefined>()
  let text = 'retry: 2000\n\n'
  let isDecided = false
  let ended = false
  let gone = false
  let wake = (): void => {}
  let makeRoom = (): void => {}
  let stalled: NodeJS.Timeout | undefined
  const undecided = setTimeout(() => decide(), heartbeatMs)

  const decide = (problem?: ProblemError): void => {
    if (isDecided) return
    isDecided = true
    clearTimeout(undecided)
    if (!problem) expectReader()
    resolve(problem)
  }
  const add = (event: AgentEvent, failure?: ProblemError): void => {
    text += encodeEvent(event)
    if (failure && isDecided && !gone) options.onFailure(failure)
    if (failure || beginsAnswer(event)) decide(failure)
    wake()
  }
  const readRun = async (): Promise<void> => {
    let runId = ''
    let last: AgentEvent | undefined
    try {
      const run = await starting
      runId = run.runId
      for await (const event of run) {
        last = event
        add(event, event.type === 'run-end' ? runProblem(event) : undefined)
        if (gone) break
        if (text.length >= chunkLength) await new Promise<void>((emptied) => (makeRoom = emptied))
      }
    } catch (error) {
      // Only a run without a place, or one that breaks its contract, throws; its reader still gets a `run-end`.
      add(brokenRunEnd(runId, last, error), thrownProblem(error))
    }
    ended = true
    decide()
    wake()
  }
  const expectReader = (): void => {
    if (gone) return
    stalled = setTimeout(() => {
      leave()
      options.dropClient()
    }, stalledMs)
  }
  const leave = (): void => {
    gone = true
    clearTimeout(stalled)
    void starting.then((run) => run.cancel(), ignore)
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

  void readRun()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await decided
        clearTimeout(stalled)
        if (text === '' && !ended && !gone) await somethingToSend()
        // One turn of the event loop, so that events that arrive together are sent together.
        if (!ended && !gone) await new Promise((turn) => setImmediate(turn))
        if (gone) return controller.close()
        if (text === '' && !ended) text = ': keep-alive\n\n'
        if (text !== '') controller.enqueue(encoder.encode(text))
        text = ''
        makeRoom()
        if (ended) controller.close()
        else expectReader()
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  )
  return { decided, body, finished: starting.then((run) => run.result).then(ignore, ignore) }
}

function ignore(): void {}

/** Whether the answer begins with this event. A run that fails before it is answered by a status. */
function beginsAnswer({ type }: AgentEvent): boolean {
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
