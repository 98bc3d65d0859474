import { resolve } from 'node:path'

type Listener = () => void

/** The listeners that are called after writes to the runs of one database. */
export interface Watchers {
  /** @returns a function that stops the watch */
  watch(runId: string, listener: Listener): () => void
  notify(runId: string): void
  /** Calls all: any run may have changed. */
  notifyAll(): void
  /** Whether a run is watched. */
  isWatched(): boolean
}

/** The listeners by run and database: several stores of a process may use one file. */
const listenersOf = new Map<string, Set<Listener>>()
let memoryDatabases = 0

export function watchersOf(path: string): Watchers {
  const database = path === ':memory:' ? `${path}${memoryDatabases++}` : resolve(path)
  const keyOf = (runId: string): string => `${runId}\n${database}`

  return {
    watch(runId, listener) {
      const key = keyOf(runId)
      const listeners = listenersOf.get(key) ?? new Set()
      listenersOf.set(key, listeners)
      // A function of its own, as one listener may watch a run twice.
      const own = (): void => listener()
      listeners.add(own)
      return () => {
        listeners.delete(own)
        if (listeners.size === 0 && listenersOf.get(key) === listeners) listenersOf.delete(key)
      }
    },
    notify: (runId) => callAll(listenersOf.get(keyOf(runId)) ?? []),

    notifyAll() {
      for (const [key, listeners] of [...listenersOf]) if (key.endsWith(`\n${database}`)) callAll(listeners)
    },

    isWatched: () => [...listenersOf.keys()].some((key) => key.endsWith(`\n${database}`)),
  }
}

function callAll(listeners: Iterable<Listener>): void {
  for (const listener of [...listeners]) {
    try {
      listener()
    } catch {
      // The failure of a reader is no failure of the write.
    }
  }
}
