export type { MemoryOptions } from '@agentkit/core'
export { createMemory } from './create-memory.ts'
