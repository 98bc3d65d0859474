import { AsyncLocalStorage } from 'node:async_hooks'

const current: AsyncLocalStorage<string> = new AsyncLocalStorage()

/** The background runs that `work` enqueues are those of a request with this id, for the log of the worker that ends them. */
export function withRequestId<Value>(requestId: string, work: () => Value): Value {
  return current.run(requestId, work)
}

export function currentRequestId(): string | undefined {
  return current.getStore()
}
