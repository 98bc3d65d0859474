import type { Store, StoreSpace } from '../store/store.ts'
import { dimensionsOf } from './generation-name.ts'

/** Generations that are open, each once for all who use it, and closed by the last of them. */
export interface OpenStores {
  /** Opens a generation, and makes it where it is not there. */
  take(generation: string): Promise<OpenStore>
  /** Waits until nobody uses the generation any more. */
  closed(generation: string): Promise<void>
}

export interface OpenStore {
  readonly generation: string
  readonly store: Store
  /** Another use of the same. */
  again(): OpenStore
  /** To be called once. */
  letGo(): Promise<void>
}

export function openStores(space: StoreSpace): OpenStores {
  const open = new Map<string, Entry>()
  const forget = (entry: Entry): void => {
    open.delete(entry.generation)
    entry.markClosed()
  }
  const use = (entry: Entry, store: Store): OpenStore => {
    entry.uses++
    return {
      generation: entry.generation,
      store,
      again: () => use(entry, store),
      async letGo() {
        entry.uses--
        if (entry.uses > 0) return
        entry.isClosing = true
        await store.close().finally(() => forget(entry))
      },
    }
  }
  return {
    async take(generation) {
      let entry = open.get(generation)
      // One that is just being closed is opened again once that is done.
      for (; entry?.isClosing; entry = open.get(generation)) await entry.closed
      if (!entry) {
        const dimensions = dimensionsOf(generation)
        entry = newEntry(generation, space.open(generation, dimensions === 0 ? {} : { dimensions }))
        open.set(generation, entry)
      }
      entry.uses++
      try {
        const taken = use(entry, await entry.store)
        entry.uses--
        return taken
      } catch (error) {
        forget(entry)
        throw error
      }
    },
    async closed(generation) {
      await open.get(generation)?.closed
    },
  }
}

type Entry = {
  generation: string
  store: Promise<Store>
  uses: number
  isClosing: boolean
  closed: Promise<void>
  markClosed(): void
}

function newEntry(generation: string, store: Promise<Store>): Entry {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { generation, store, uses: 0, isClosing: false, closed: promise, markClosed: resolve }
}
