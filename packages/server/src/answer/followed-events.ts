import { type AgentEvent, AgentKitError, type AgentRun, type RunStore, type SessionStore } from '@agentkit/core'
import { follow } from '@agentkit/core/internal'
import { type EncodeEvent, encodeEvent } from './encode-event.ts'
import type { EventSource, Send } from './event-stream.ts'
import { cutFrame, sendBrokenEnd } from './live-events.ts'
import { type ProblemError, runProblem, thrownProblem } from './problem.ts'

export type FollowedRun = {
  sessions: SessionStore
  runId: string
  /** The number of the last event that the client has. */
  after: number
  /** The number of the last event that is stored. Later ones are emitted while the client reads. */
  last: number
  /** Aborts when the server no longer follows runs. */
  draining: AbortSignal
  /** The run, where this process has just started it: it may end before anything is stored of it. */
  run?: AgentRun
  encode?: EncodeEvent
  /** The run continues after this event: only a later `run-end` ends the stream. */
  continuesAfter?: number
}

/**
 * The stored events of a run, then those that come, until a `run-end`. A client that leaves cancels nothing. One that does not
 * keep up is disconnected, and continues by `Last-Event-ID`.
 */
export function followedEvents(followed: FollowedRun): EventSource {
  const left = new AbortController()
  return {
    read: (send) => readFollowed(followed, left.signal, send),
    leave: () => left.abort(),
  }
}

async function readFollowed(followed: FollowedRun, left: AbortSignal, send: Send): Promise<void> {
  const { draining, run } = followed
  const encode: EncodeEvent = followed.encode ?? encodeEvent
  const signal = AbortSignal.any([left, draining])
  try {
    const error = run && (await failureToBegin(run, followed))
    // The headers wait for no event, but until the run is stored: from then on it is not lost.
    void send('', { beginsAnswer: true })
    if (error) return sendBrokenEnd(send, encode, placeAfter(followed, followed.after), error)
    const end = await sendUntilEnd(followed, signal, send)
    // The run's events were deleted with its session.
    if (!end.isSent && !signal.aborted) return sendBrokenEnd(send, encode, end.place, deleted(followed.runId))
    if (!end.isSent && draining.aborted) void send(cutFrame(encode), { beginsAnswer: true })
  } catch (error) {
    // The store has failed, not the run: its client reads the rest later.
    void send('', { beginsAnswer: true, failure: thrownProblem(error) })
  }
}

/** @returns why the run has settled without being stored; `undefined` once it is */
async function failureToBegin(run: AgentRun, { sessions: { runs }, runId }: FollowedRun): Promise<unknown> {
  if (!runs) return undefined
  const settled = run.result.then(({ error }) => ({ error }))
  for (;;) {
    // Subscribes before the run is read, so that no write is missed in between.
    const stored = nextWrite(runs, runId)
    try {
      if (await runs.read(runId)) return undefined
      const failure = await Promise.race([settled, stored.happened])
      if (failure && !(await runs.read(runId))) return failure.error
    } finally {
      stored.stop()
    }
  }
}

function nextWrite(runs: RunStore, runId: string): { happened: Promise<undefined>; stop(): void } {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  return { happened: promise, stop: runs.watch(runId, () => resolve(undefined)) }
}

type Place = Pick<AgentEvent, 'seq' | 'runId' | 'path'>

function placeAfter({ runId }: Pick<FollowedRun, 'runId'>, seq: number): Place {
  return { seq: seq + 1, runId, path: [] }
}

function deleted(runId: string): AgentKitError {
  return new AgentKitError('aborted', 'The run was cancelled.', { runId })
}

/** @returns whether a `run-end` was sent, and the place of the next event */
async function sendUntilEnd(
  followed: FollowedRun,
  signal: AbortSignal,
  send: Send,
): Promise<{ isSent: boolean; place: Place }> {
  const { sessions, runId, after, last, encode = encodeEvent, continuesAfter = 0 } = followed
  let seen = after
  for await (const event of follow(sessions, runId, { after, signal })) {
    seen = event.seq
    if (event.type === 'run-end' && event.seq <= continuesAfter) continue
    const failure = event.type === 'run-end' ? await failureOf(event, followed.run) : undefined
    const room = send(encode(event), { beginsAnswer: true, failure, isFollowed: event.seq > last })
    if (room !== undefined) await room
    if (event.type === 'run-end') return { isSent: true, place: placeAfter(followed, seen) }
  }
  return { isSent: false, place: placeAfter(followed, seen) }
}

/** Why the run has failed, by its own error where this process has run it: that knows its cause and its trace, for the log. */
async function failureOf(
  end: Extract<AgentEvent, { type: 'run-end' }>,
  run: AgentRun | undefined,
): Promise<ProblemError | undefined> {
  if (!end.error || !run) return runProblem(end)
  // The result settles once the last event is stored, and maybe never where another process has ended the run.
  const turn = new Promise<undefined>((resolve) => setImmediate(resolve, undefined))
  const result = await Promise.race([run.result, turn])
  return runProblem(result?.error?.code === end.error.code ? result : end)
}
