import type { Store } from '../store/store.ts'

/** The time after which a store is asked again, in milliseconds: other processes sync too. */
const staleForMs = 1000

type Known = { version: string; files: ReadonlySet<string> }

/** The files of a store that have old chunks, which each search needs. */
export interface StaleFiles {
  of(store: Store): Promise<ReadonlySet<string>>
  /** After a sync, which has changed them. */
  forget(): void
}

export function rememberStaleFiles(): StaleFiles {
  let known: { store: Store; at: number; now: Promise<Known> } | undefined
  const look = async (store: Store, before: Promise<Known> | undefined): Promise<Known> => {
    const version = await store.version()
    const last = await before?.catch(() => undefined)
    if (last?.version === version) return last
    const records = await store.files({ stale: true })
    return { version, files: new Set(records.map(({ file }) => file)) }
  }
  return {
    async of(store) {
      if (known?.store !== store || performance.now() - known.at > staleForMs) {
        const before = known?.store === store ? known.now : undefined
        known = { store, at: performance.now(), now: look(store, before) }
      }
      return (await known.now).files
    },
    forget() {
      known = undefined
    },
  }
}
