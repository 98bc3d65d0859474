import type { Store, StoreSpace } from '../store/store.ts'
import { dimensionsOf } from './generation-name.ts'

/** Open generations, each opened once for all users, and closed by the last one. */
export interface OpenStores {
  /** Opens a generation, and creates it if it is missing. */
  take(generation: string): Promise<OpenStore>
  /** Waits until the generation is not in use any more. */
  closed(generation: string): Promise<void>
}

export interface OpenStore {
  readonly generation: string
  readonly store: Store
  /** Adds a user of the same generation. */
  again(): OpenStore
  /** Releases this use. Called once. */
  release(): Promise<void>
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
      async release() {
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
      // A store that is being closed is opened again afterwards.
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
