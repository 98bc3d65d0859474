import {
  type AgentEvent,
  type AgentEventBody,
  AgentKitError,
  type AgentRun,
  type RunResult,
  type RunStore,
  type SessionStore,
} from '@agentkit/core'
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
  /** Of `run`: its agent and its session. */
  agentId?: string
  sessionId?: string | undefined
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
    const unstored = run && (await endWithoutStore(run, followed))
    // The headers wait for no event, but until the run is stored: from then on it is not lost.
    void send('', { beginsAnswer: true })
    if (unstored?.error) return sendBrokenEnd(send, encode, placeAfter(followed, followed.after), unstored.error)
    if (unstored) return sendUnstored(send, encode, followed, unstored)
    const end = await sendUntilEnd(followed, signal, send)
    if (!end.isSent && !signal.aborted) {
      const isKept = (await followed.sessions.runs?.read(followed.runId)) !== undefined
      // Only its events were removed, meanwhile: their reader opens the stream again, which is 410 then.
      if (isKept) return void send(encode.cut?.() ?? '', { beginsAnswer: true })
      // The run's events were deleted with its session.
      return sendBrokenEnd(send, encode, end.place, deleted(followed.runId))
    }
    if (!end.isSent && draining.aborted) void send(cutFrame(encode), { beginsAnswer: true })
  } catch (error) {
    // The store has failed, not the run: its client reads the rest later.
    void send('', { beginsAnswer: true, failure: thrownProblem(error) })
  }
}

/** @returns how the run has settled without being stored, because it failed or a hook blocked its question; `undefined` once it is */
async function endWithoutStore(
  { result }: AgentRun,
  { sessions: { runs }, runId }: FollowedRun,
): Promise<RunResult | undefined> {
  if (!runs) return undefined
  for (;;) {
    // Subscribes before the run is read, so that no write is missed in between.
    const stored = nextWrite(runs, runId)
    try {
      if (await runs.read(runId)) return undefined
      const settled = await Promise.race([result, stored.happened])
      if (settled && !(await runs.read(runId))) return settled
    } finally {
      stored.stop()
    }
  }
}

function nextWrite(runs: RunStore, runId: string): { happened: Promise<undefined>; stop(): void } {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  return { happened: promise, stop: runs.watch(runId, () => resolve(undefined)) }
}

/** The events of a run that has answered and of which nothing is stored, as its own stream has them. */
function sendUnstored(
  send: Send,
  encode: EncodeEvent,
  { runId, agentId, sessionId, after }: FollowedRun,
  { finishReason, text, usage, cost, warnings }: RunResult,
): void {
  const events: AgentEventBody[] = [
    { type: 'run-start', ...(sessionId !== undefined && { sessionId }) },
    ...(text === '' ? [] : [{ type: 'text-delta', text } as const]),
    { type: 'run-end', finishReason, text, usage, ...(cost && { cost }), ...(warnings.length > 0 && { warnings }) },
  ]
  const path = agentId === undefined ? [] : [agentId]
  for (const [index, event] of events.entries()) {
    void send(encode({ seq: after + index + 1, runId, path, ...event }), { beginsAnswer: true })
  }
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
    const failure = event.type === 'run-end' ? await followedProblem(event, followed.run) : undefined
    const room = send(encode(event), { beginsAnswer: true, failure, isFollowed: event.seq > last })
    if (room !== undefined) await room
    if (event.type === 'run-end') return { isSent: true, place: placeAfter(followed, seen) }
  }
  return { isSent: false, place: placeAfter(followed, seen) }
}

/** Why the run has failed, by its own error where this process has run it: that knows its cause and its trace, for the log. */
async function followedProblem(
  end: Extract<AgentEvent, { type: 'run-end' }>,
  run: AgentRun | undefined,
): Promise<ProblemError | undefined> {
  if (!end.error || !run) return runProblem(end)
  // The result settles once the last event is stored, and maybe never where another process has ended the run.
  const turn = new Promise<undefined>((resolve) => setImmediate(resolve, undefined))
  const result = await Promise.race([run.result, turn])
  return runProblem(result?.error?.code === end.error.code ? result : end)
}
