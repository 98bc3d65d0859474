import type { FileRecord } from '../data/file-record.ts'
import type { Store } from '../store/store.ts'

/** The records of all files of a store, which syncs and tools read again only when the index has changed. */
export interface KnownRecords {
  /** The same objects for all callers. */
  of(store: Store): Promise<readonly FileRecord[]>
}

export function rememberRecords(): KnownRecords {
  let known: { store: Store; version: string; records: Promise<readonly FileRecord[]> } | undefined
  return {
    async of(store) {
      const version = await store.version()
      if (known?.store === store && known.version === version) return known.records
      const now = { store, version, records: store.files() }
      known = now
      now.records.catch(() => {
        if (known === now) known = undefined
      })
      return now.records
    },
  }
}
