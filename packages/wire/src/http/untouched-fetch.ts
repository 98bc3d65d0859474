/**
 * Whether the global `fetch` is Node's own, without a replaced dispatcher, a proxy or a mock. Only then may requests
 * bypass it. `false` in other and unknown runtimes.
 */
export function isFetchUntouched(): boolean {
  return (
    isNodes(globalThis.fetch, isNodesFetch) && dispatcherKeys.every((key) => isNodes(global[key], isNodesDispatcher))
  )
}

/** Node 22 and 24 keep the dispatcher of `fetch` under the first, Node 26 under the second; npm's undici sets both. */
const dispatcherKeys = [Symbol.for('undici.globalDispatcher.1'), Symbol.for('undici.globalDispatcher.2')] as const
const global = globalThis as { readonly [key: symbol]: object | undefined }

const cached = new WeakMap<object, boolean>()

/** Every call asks, so the result is cached. An absent dispatcher is Node's too: `fetch` creates it when needed. */
function isNodes<Value extends object>(value: Value | undefined, check: (value: Value) => boolean): boolean {
  if (value === undefined) return true
  const known = cached.get(value)
  if (known !== undefined) return known
  const own = check(value)
  cached.set(value, own)
  return own
}

/** Node's own is a few lines of JavaScript that load its undici. */
function isNodesFetch(fetch: object): boolean {
  return String(fetch).includes("require('internal/deps/undici/undici')")
}

/** Node's plain `Agent`, and on Node 26 a wrapper of it for older callers. */
const ownClasses: ReadonlySet<string> = new Set(['Agent', 'Dispatcher1Wrapper'])

function isNodesDispatcher(dispatcher: object): boolean {
  const prototype: { constructor: DispatcherClass; dispatch?: unknown } | null = Object.getPrototypeOf(dispatcher)
  if (prototype === null) return false
  // Interceptors wrap a dispatcher in a proxy that differs only in `dispatch`.
  const bare = 'dispatch' in dispatcher && dispatcher.dispatch === prototype.dispatch
  return bare && ownClasses.has(prototype.constructor.name) && isBuiltIn(prototype.constructor)
}

type DispatcherClass = new (options: object) => object

/** npm's undici has classes of the same names; their errors come from other files. */
function isBuiltIn(dispatcherClass: DispatcherClass): boolean {
  try {
    new dispatcherClass({ factory: 'none' })
    return false
  } catch (error) {
    return error instanceof Error && /^\s+at new .*node:internal\//m.test(error.stack ?? '')
  }
}
