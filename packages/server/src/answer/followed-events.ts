import type { AgentEvent, AgentRun, RunStore } from '@agentkit/core'
import { encodeEvent } from './encode-event.ts'
import type { EventSource, Send } from './event-stream.ts'
import { followRun } from './follow-run.ts'
import { sendBrokenEnd } from './live-events.ts'
import { runProblem, thrownProblem } from './problem.ts'

export type FollowedRun = {
  runs: RunStore
  runId: string
  /** The number of the last event that the client has. */
  after: number
  /** The number of the last event that is stored. Later ones do not wait for the client. */
  last: number
  /** Aborts when the server no longer follows runs. */
  draining: AbortSignal
  /** The run, where this process has just started it: it may end before anything is stored of it. */
  run?: AgentRun
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
  // The headers wait for no event.
  void send('', { beginsAnswer: true })
  const { draining } = followed
  try {
    const hasEnded = await sendUntilEnd(followed, AbortSignal.any([left, draining]), send)
    if (!hasEnded && draining.aborted) void send(': draining\n\n', { beginsAnswer: true })
  } catch (error) {
    // The store has failed, not the run: its client reads the rest later.
    void send('', { beginsAnswer: true, failure: thrownProblem(error) })
  }
}

/** @returns whether a `run-end` was sent */
async function sendUntilEnd(followed: FollowedRun, signal: AbortSignal, send: Send): Promise<boolean> {
  const { runs, runId, run } = followed
  let last = followed.after
  const sendFrom = async (until: AbortSignal, isStarting: boolean): Promise<boolean> => {
    for await (const event of followRun(runs, runId, { after: last, signal: until, isStarting })) {
      last = event.seq
      const room = sendEvent(event, last > followed.last, send)
      if (room !== undefined) await room
      if (event.type === 'run-end') return true
    }
    return false
  }
  if (!run) return sendFrom(signal, false)
  const settled = new AbortController()
  const onSettled = (): void => settled.abort()
  void run.result.then(onSettled, onSettled)
  // Once the run has settled, everything is stored that it will store.
  if (await sendFrom(AbortSignal.any([signal, settled.signal]), true)) return true
  if (await sendFrom(signal, false)) return true
  if (signal.aborted) return false
  const { error } = await run.result
  sendBrokenEnd(send, { seq: last + 1, runId, path: [] }, error)
  return true
}

function sendEvent(event: AgentEvent, isUnpaced: boolean, send: Send): Promise<void> | undefined {
  const failure = event.type === 'run-end' ? runProblem(event) : undefined
  return send(encodeEvent(event), { beginsAnswer: true, failure, isUnpaced })
}
