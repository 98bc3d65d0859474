import { AgentKitError } from '@agentkit/core'

export function storageError(path: string, cause: unknown): AgentKitError {
  const { code } = cause as NodeJS.ErrnoException // errors of `fs` have this type
  return new AgentKitError('storage', `${path} cannot be written: ${code}.`, { cause })
}
