import type { AgentEvent } from '@agentkit/core'
import { problemOf, RequestError } from '../api/problem.ts'
import { readEvents, silenceMs } from '../api/read-events.ts'
import { request } from '../api/request.ts'

export type Following = {
  runId: string
  query: Record<string, string | undefined>
  /** The number of the last event that was seen. */
  lastSeq(): number
  /** Whether the events have the final end of the run. */
  hasEnded(): boolean
  /** Whether it waits for a decision: it is not followed while the page is hidden. */
  isWaiting(): boolean
  onEvent(event: AgentEvent): void
  /** Called when the connection is lost or restored, so that the page can show it. */
  onConnection(isLost: boolean): void
  signal: AbortSignal
}

/** How often a lost connection is tried again before the page gives up: about two minutes. */
const maxTries = 40
/** How often a hidden page looks whether it is shown. */
const hiddenMs = 1_000

/**
 * Reads the events of a run until its final end, from the event after the last one that was received. A lost connection
 * is opened again, also to a restarted server.
 * @throws RequestError when the server answers that there are no events
 */
export async function followRun(following: Following): Promise<void> {
  const { runId, query, lastSeq, hasEnded, isWaiting, onEvent, onConnection, signal } = following
  // A browser has six connections to a server, for all its tabs: a run may wait for days in each.
  const isResting = (): boolean => document.hidden && isWaiting()
  let failures = 0
  for (let tries = 0; !hasEnded() && !signal.aborted; tries++) {
    if (tries > 0) await pause(Math.min(4_000, 250 * 2 ** Math.min(tries - 1, 4)), signal)
    while (isResting() && !signal.aborted) await pause(hiddenMs, signal)
    if (signal.aborted) return
    const connection = new AbortController()
    const close = (): void => {
      if (signal.aborted || isResting()) connection.abort()
    }
    const timer = setTimeout(() => connection.abort(), silenceMs)
    signal.addEventListener('abort', close)
    document.addEventListener('visibilitychange', close)
    const before = lastSeq()
    const headers = { accept: 'text/event-stream', ...(before > 0 && { 'last-event-id': String(before) }) }
    try {
      const response = await request(`api/v1/runs/${encodeURIComponent(runId)}/events`, {
        ...{ query, headers },
        signal: connection.signal,
      })
      clearTimeout(timer)
      onConnection(false)
      failures = 0
      if (response.status === 204) return
      await readEvents(response, onEvent, silenceMs)
      if (lastSeq() > before) tries = 0
    } catch (error) {
      if (signal.aborted) return
      if (isResting()) continue
      const { status } = problemOf(error)
      // A server that is starting, or one behind a proxy, may answer in a moment.
      const isLasting = error instanceof RequestError && status < 500
      if (isLasting || failures++ >= maxTries) throw error
      onConnection(true)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', close)
      document.removeEventListener('visibilitychange', close)
    }
  }
}

/** Waits, unless the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    signal.addEventListener('abort', finish)
  })
}
