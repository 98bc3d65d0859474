import type { MemoryOf, MemoryOptions } from '@agentkit/core'
import type { AgentTable } from '../config/config-keys.ts'
import { requireMemory } from '../util/import-optional.ts'

/**
 * The memory of an agent, from its option or its table.
 * @returns `undefined` if the agent has no memory
 * @throws AgentKitError `missing-package` when `@agentkit/memory` is not installed; `invalid-argument` for invalid options
 */
export function agentMemory(
  option: boolean | MemoryOptions | undefined,
  settings: AgentTable,
  load?: (name: string) => unknown,
): MemoryOf | undefined {
  const chosen = option ?? settings.memory
  if (chosen === undefined || chosen === false) return undefined
  return requireMemory(load).createMemory(chosen === true ? {} : chosen)
}
