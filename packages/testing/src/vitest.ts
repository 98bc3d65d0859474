import type { RunFinishReason } from '@agentkit/core'
import { expect } from 'vitest'
import { toCite, toHaveCalledTool, toHaveFinished } from './matchers/run-matchers.ts'

export {
  type BackgroundStoreUnderTest,
  backgroundRunsContract,
} from './background-runs-contract/background-runs-contract.ts'
export { type CheckedRun, toCite, toHaveCalledTool, toHaveFinished } from './matchers/run-matchers.ts'
export { providerContract } from './provider-contract/provider-contract.ts'
export type { MakeProvider, ModelsUnderTest, ProviderUnderTest } from './provider-contract/provider-under-test.ts'
export { type RunQueueUnderTest, runQueueContract } from './run-queue-contract/run-queue-contract.ts'
export { type RunStoreUnderTest, runStoreContract } from './run-store-contract/run-store-contract.ts'
export { memoryStoreContract } from './session-store-contract/memory-store-contract.ts'
export {
  type DurableStoreUnderTest,
  durableSessionStoreContract,
  type StoreUnderTest,
  sessionStoreContract,
} from './session-store-contract/session-store-contract.ts'

declare module 'vitest' {
  // The type parameters must equal the ones of Vitest's own interface.
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    /** Whether the run called a tool, and with this input. */
    toHaveCalledTool(name: string, input?: unknown): R
    /** Whether the run finished, for this reason; `"stop"` when absent. */
    toHaveFinished(reason?: RunFinishReason): R
    /** Whether the answer of the run cites a file, and a quote with this text. */
    toCite(file: string | RegExp, quote?: string | RegExp): R
  }
}

expect.extend({ toCite, toHaveCalledTool, toHaveFinished })
