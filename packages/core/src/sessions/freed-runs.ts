import type { SessionStore } from '../contracts/session-store.ts'

/** Who continues the free runs of a store in this process. */
const searches = new WeakMap<SessionStore, Set<() => void>>()

/** Calls `listener` when a decision of this process has made a run of the store free. @returns stops it */
export function onRunFreed(store: SessionStore, listener: () => void): () => void {
  const listeners = searches.get(store) ?? new Set()
  searches.set(store, listeners.add(listener))
  return () => void listeners.delete(listener)
}

/** Reports that a run of the store is free: no process has it, and any may take it over. */
export function reportRunFreed(store: SessionStore): void {
  for (const listener of searches.get(store) ?? []) listener()
}
