import { type AgentEvent, type AgentRun, type ErrorInfo, isAgentKitError } from '@agentkit/core'
import { toErrorInfo } from '@agentkit/core/internal'
import { type EncodeEvent, encodeEvent } from './encode-event.ts'
import type { EventSource, Send } from './event-stream.ts'
import { ProblemError, runProblem, thrownProblem } from './problem.ts'

/** The parts of a run that a reader needs. */
export type LiveRun = Pick<AgentRun, 'runId' | 'result'> &
  AsyncIterable<AgentEvent> & {
    /** Called when the reader has left. It cancels nothing. */
    leave?(): void
  }

/**
 * The events of a run whose client waits for it: the client's reading paces the run, and a client that leaves, or stops
 * reading, cancels it.
 *
 * @param starting the run, once it has a place. It rejects when there is none.
 */
export function liveEvents(starting: Promise<AgentRun>, encode: EncodeEvent = encodeEvent): EventSource {
  return {
    read: async (send) => void (await readRun(starting, send, encode)),
    leave: () =>
      void starting.then(
        (run) => run.cancel(),
        () => {},
      ),
  }
}

/**
 * The events of a run that continues without its client: a client that disconnects does not cancel it.
 * @param starting the run, once it has a place. It rejects when there is none.
 */
export function detachedEvents(starting: Promise<LiveRun>, encode: EncodeEvent = encodeEvent): EventSource {
  return {
    async read(send) {
      // The client's decisions are stored already, so the headers are sent before the first event: a failure is
      // reported in the stream.
      void send('', { beginsAnswer: true })
      // A server that stops leaves the run to the next one: it gives no place, or ends its step.
      const isLeft = await starting.then(() => false, isOverloaded)
      const follow: Send = (text, options) => send(text, { ...options, isFollowed: true })
      if (isLeft || !(await readRun(starting, follow, encode))) void send(cutFrame(encode), { beginsAnswer: true })
    },
    leave: () =>
      void starting.then(
        (run) => run.leave?.(),
        () => {},
      ),
  }
}

/** @returns whether its end was sent */
async function readRun(starting: Promise<LiveRun>, send: Send, encode: EncodeEvent): Promise<boolean> {
  let runId = ''
  let last: AgentEvent | undefined
  try {
    const run = await starting
    runId = run.runId
    for await (const event of run) {
      last = event
      const failure = event.type === 'run-end' ? await liveProblem(run, event) : undefined
      const room = send(encode(event), { beginsAnswer: beginsAnswer(event), failure })
      if (room !== undefined) await room
    }
    return last?.type === 'run-end'
  } catch (error) {
    // Only a run without a place or a run that breaks its contract throws. Its reader still receives a `run-end`.
    sendBrokenEnd(send, encode, { seq: (last?.seq ?? 0) + 1, runId, path: last?.path ?? [] }, error)
    return true
  }
}

/** Events have no cause, which distinguishes a full disk from other failures of the store. */
async function liveProblem(
  run: LiveRun,
  end: Extract<AgentEvent, { type: 'run-end' }>,
): Promise<ProblemError | undefined> {
  return runProblem(end.error?.code === 'storage' ? await run.result : end)
}

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

function isOverloaded(thrown: unknown): boolean {
  return thrown instanceof ProblemError && thrown.code === 'overloaded'
}

/** The last frame of a stream whose run continues in another process. */
export function cutFrame(encode: EncodeEvent): string {
  return `: draining\n\n${encode.cut?.() ?? ''}`
}

/** Sends the end of a run that has emitted none. */
export function sendBrokenEnd(
  send: Send,
  encode: EncodeEvent,
  place: Pick<AgentEvent, 'seq' | 'runId' | 'path'>,
  thrown: unknown,
): void {
  const error: ErrorInfo = isAgentKitError(thrown)
    ? toErrorInfo(thrown)
    : isOverloaded(thrown)
      ? { code: 'overloaded', message: '', retryable: true }
      : { code: 'provider-error', message: '', retryable: false }
  const finishReason = error.code === 'aborted' ? 'aborted' : 'error'
  const text = encode({ ...place, type: 'run-end', finishReason, text: '', usage: {}, error })
  void send(text, { beginsAnswer: true, failure: thrownProblem(thrown) })
}
