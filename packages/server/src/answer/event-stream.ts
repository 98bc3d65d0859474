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

/** One event as it is sent. */
type Part = { text: string; beginsAnswer: boolean; failure?: ProblemError | undefined }

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
  const parts = encodeRun(starting)
  let next = parts.next()
  let text = 'retry: 2000\n\n'
  let isDecided = false
  let ended = false
  let gone = false
  let stopWaiting = (): void => {}
  let stalled: NodeJS.Timeout | undefined

  /** Adds the next event to the text. Returns undefined at the end, and when the wait is stopped. */
  const read = async (): Promise<Part | undefined> => {
    const result = await new Promise<IteratorResult<Part, void> | undefined>((resolve) => {
      stopWaiting = () => resolve(undefined)
      void next.then(resolve)
    })
    if (result?.done) ended = true
    if (!result || result.done) return undefined
    next = parts.next()
    const part = result.value
    text += part.text
    if (part.failure && isDecided && !gone) options.onFailure(part.failure)
    return part
  }
  const decide = async (): Promise<ProblemError | undefined> => {
    const timer = setTimeout(() => stopWaiting(), heartbeatMs)
    let part = await read()
    while (part && !part.failure && !part.beginsAnswer) part = await read()
    clearTimeout(timer)
    isDecided = true
    if (!part?.failure) expectReader()
    return part?.failure
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
    void parts.return()
  }

  const decided = decide()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await decided
        clearTimeout(stalled)
        if (gone) return controller.close()
        if (text === '') {
          const timer = setTimeout(() => stopWaiting(), heartbeatMs)
          if (!(await read()) && !ended) text = ': keep-alive\n\n'
          clearTimeout(timer)
        }
        // One turn of the event loop, so that events that arrive together are sent together.
        const turn = setImmediate(() => stopWaiting())
        while (text.length < chunkLength && (await read()));
        clearImmediate(turn)
        if (gone) return
        if (text !== '') controller.enqueue(encoder.encode(text))
        text = ''
        if (ended) controller.close()
        else expectReader()
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  )
  return { decided, body, finished: starting.then((run) => run.result).then(ignore, ignore) }
}

async function* encodeRun(starting: Promise<AgentRun>): AsyncGenerator<Part, void> {
  let runId = ''
  let last: AgentEvent | undefined
  try {
    const run = await starting
    runId = run.runId
    for await (const event of run) {
      last = event
      const failure = event.type === 'run-end' ? runProblem(event) : undefined
      yield { text: encodeEvent(event), beginsAnswer: beginsAnswer(event), failure }
    }
  } catch (error) {
    // Only a run without a place, or one that breaks its contract, throws; its reader still gets a `run-end`.
    const text = encodeEvent(brokenRunEnd(runId, last, error))
    yield { text, beginsAnswer: true, failure: thrownProblem(error) }
  }
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
