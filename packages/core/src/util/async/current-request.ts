import { AsyncLocalStorage } from 'node:async_hooks'
import type { JSONValue } from '../../data/message.ts'

/** The request that begins a run. */
export type RunRequest = {
  /** Of a run that is enqueued: for the log of the worker that ends it. */
  requestId?: string
  /** Plain JSON that is stored with the run, for its client to read again. */
  client?: JSONValue
}

type Place = { request: RunRequest; runId?: string }

const current: AsyncLocalStorage<Place> = new AsyncLocalStorage()

/** The first run that `begin` creates or enqueues is that of this request. */
export function withRequest<Value>(request: RunRequest, begin: () => Value): Value {
  return current.run({ request }, begin)
}

export function currentRequestId(): string | undefined {
  return current.getStore()?.request.requestId
}

/**
 * Keeps the request of a run that is created now, and starts later.
 * @returns starts it; `undefined` where there is no request
 */
export function keepRequest(runId: string): (<Value>(start: () => Value) => Value) | undefined {
  const place = current.getStore()
  if (!place) return undefined
  // The runs that this one begins have no request.
  place.runId ??= runId
  return (start) => current.run(place, start)
}

/** What the client of a run sent with it, in the form in which it is stored. */
export function clientDataOf(runId: string): { client?: JSONValue } {
  const place = current.getStore()
  const { client } = place?.request ?? {}
  if (!place || client === undefined) return {}
  place.runId ??= runId
  return place.runId === runId ? { client } : {}
}
