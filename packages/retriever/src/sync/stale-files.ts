import type { Store } from '../store/store.ts'

/** The time after which a store is asked again, in milliseconds: other processes sync too. */
const staleForMs = 1000

/** The files of a store that have old chunks, which each search needs. */
export interface StaleFiles {
  of(store: Store): Promise<ReadonlySet<string>>
  /** After a sync, which has changed them. */
  forget(): void
}

export function rememberStaleFiles(): StaleFiles {
  let known: { store: Store; at: number; files: Promise<ReadonlySet<string>> } | undefined
  return {
    of(store) {
      if (known?.store !== store || performance.now() - known.at > staleForMs) {
        const files = store.files({ stale: true }).then((records) => new Set(records.map(({ file }) => file)))
        known = { store, at: performance.now(), files }
      }
      return known.files
    },
    forget() {
      known = undefined
    },
  }
}
