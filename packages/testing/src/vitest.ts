export {
  type BackgroundStoreUnderTest,
  backgroundRunsContract,
} from './background-runs-contract/background-runs-contract.ts'
export { providerContract } from './provider-contract/provider-contract.ts'
export type { MakeProvider, ModelsUnderTest, ProviderUnderTest } from './provider-contract/provider-under-test.ts'
export { type RunQueueUnderTest, runQueueContract } from './run-queue-contract/run-queue-contract.ts'
export { type RunStoreUnderTest, runStoreContract } from './run-store-contract/run-store-contract.ts'
export {
  type DurableStoreUnderTest,
  durableSessionStoreContract,
  type StoreUnderTest,
  sessionStoreContract,
} from './session-store-contract/session-store-contract.ts'
