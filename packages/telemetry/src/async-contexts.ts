import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, type ContextManager, ROOT_CONTEXT } from '@opentelemetry/api'

/** Keeps the active span over promises and callbacks, where the process has registered no context manager. */
export function asyncContexts(): ContextManager {
  const storage = new AsyncLocalStorage<Context>()
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (context, fn, thisArg, ...args) => storage.run(context, () => fn.apply(thisArg, args)),
    bind(context, target) {
      if (typeof target !== 'function') return target
      const bound = function (this: unknown, ...args: unknown[]): unknown {
        return storage.run(context, () => target.apply(this, args))
      }
      return bound as typeof target // it has the same signature
    },
    enable: () => manager,
    disable() {
      storage.disable()
      return manager
    },
  }
  return manager
}
