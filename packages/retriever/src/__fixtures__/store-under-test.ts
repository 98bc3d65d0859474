import type { Store } from '../store/store.ts'

/** What the tests of a contract's part work with. */
export type StoreUnderTest = {
  /** The one generation that is open, empty at first. */
  store: Store
  /** Absent: the store keeps no vectors. */
  dimensions?: number
  /** The same generation by another handle, as another process would see it. */
  openAgain(): Promise<Store>
}
