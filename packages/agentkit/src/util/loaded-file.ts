/** Commands and agents may be of two installed copies of this package, so the name is the same for all of them. */
const key = Symbol.for('agentkit.loaded-file')

type Loading = typeof globalThis & { [key]?: Set<object> }

/**
 * From now on `run()` of agents in this process listens on nothing: a command loads their file to learn which agents it
 * has, and serves nothing.
 *
 * @returns the agents on which `run()` is called, also later
 */
export function collectServedAgents(): ReadonlySet<object> {
  const loading: Loading = globalThis
  loading[key] ??= new Set()
  return loading[key]
}

/** Where `run()` adds its agent instead of serving it; `undefined` in programs. */
export function servedAgents(): Set<object> | undefined {
  const loading: Loading = globalThis
  return loading[key]
}
