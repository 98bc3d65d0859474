import { AgentKitError } from '@agentkit/core'

/** @param opened what opens another store */
export function storeIsClosed(opened: string): AgentKitError {
  const message =
    'The session store is closed: close() of the store, of its agent or of its context was called. Call it after the ' +
    `last run. To continue, create the agent again, or the store with ${opened}.`
  return new AgentKitError('storage', message)
}
