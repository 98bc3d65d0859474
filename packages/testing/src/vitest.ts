export {
  type DurableStoreUnderTest,
  durableSessionStoreContract,
  type StoreUnderTest,
  sessionStoreContract,
} from './session-store-contract/session-store-contract.ts'
