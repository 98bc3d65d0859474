/**
 * Whether the global `fetch` is Node's own and nobody has given it another way out (a dispatcher, a proxy, a mock).
 * Only then does going round it change nothing; a runtime that is not Node, or that we do not know, says no.
 */
export function isFetchUntouched(): boolean {
  return (
    isNodes(globalThis.fetch, isNodesFetch) && dispatcherKeys.every((key) => isNodes(global[key], isNodesDispatcher))
  )
}

/** Node 22 and 24 keep the dispatcher of `fetch` under the first, Node 26 under the second; npm's undici sets both. */
const dispatcherKeys = [Symbol.for('undici.globalDispatcher.1'), Symbol.for('undici.globalDispatcher.2')] as const
const global = globalThis as { readonly [key: symbol]: object | undefined }

const judged = new WeakMap<object, boolean>()

/** Asked for every call, so judged once. None is Node's as well: `fetch` makes its own when it needs one. */
function isNodes<Value extends object>(value: Value | undefined, judge: (value: Value) => boolean): boolean {
  if (value === undefined) return true
  const known = judged.get(value)
  if (known !== undefined) return known
  const own = judge(value)
  judged.set(value, own)
  return own
}

/** Node's is a few lines of JavaScript that load its undici; a stub, a wrapper or native code is not. */
function isNodesFetch(fetch: object): boolean {
  return String(fetch).includes("require('internal/deps/undici/undici')")
}

/** Its plain `Agent`, and on Node 26 the wrapper of that for older readers; not one for proxies. */
const ownClasses: ReadonlySet<string> = new Set(['Agent', 'Dispatcher1Wrapper'])

function isNodesDispatcher(dispatcher: object): boolean {
  const prototype: { constructor: DispatcherClass; dispatch?: unknown } | null = Object.getPrototypeOf(dispatcher)
  if (prototype === null) return false
  // Interceptors are put round a dispatcher as a proxy that only has another `dispatch`.
  const bare = 'dispatch' in dispatcher && dispatcher.dispatch === prototype.dispatch
  return bare && ownClasses.has(prototype.constructor.name) && isBuiltIn(prototype.constructor)
}

type DispatcherClass = new (options: object) => object

/** npm's undici has the same classes by the same names, but they fail at another place. */
function isBuiltIn(dispatcherClass: DispatcherClass): boolean {
  try {
    new dispatcherClass({ factory: 'none' })
    return false
  } catch (error) {
    return error instanceof Error && /^\s+at new .*node:internal\//m.test(error.stack ?? '')
  }
}
