import { AgentKitError } from '@agentkit/core'
import { systemCode } from '@agentkit/core/internal'

export function storageError(path: string, cause: unknown): AgentKitError {
  return new AgentKitError('storage', `${path} cannot be written: ${systemCode(cause)}.`, { cause })
}
