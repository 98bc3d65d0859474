import type { Store } from '../store/store.ts'

/** The store that the tests of a part of the contract use. */
export type StoreUnderTest = {
  /** The only open generation, which is empty at first. */
  store: Store
  /** Absent: the store keeps no vectors. */
  dimensions?: number
  /** The same generation by another handle, as another process would see it. */
  openAgain(): Promise<Store>
}
