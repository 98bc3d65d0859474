import type { SessionStore } from '@agentkit/core'
import { requirePostgresQueue, requireSessions } from '../util/import-optional.ts'

/** Whether an address is one of Postgres. */
export function isPostgres(address: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(address)
}

/**
 * Sessions in Postgres, with the queue of their background runs. Nothing is connected before the first call.
 * @throws AgentKitError `missing-package` with the command that installs the queue
 */
export function postgresStore(address: string, load?: (name: string) => unknown): SessionStore {
  const queue = requirePostgresQueue(load).postgresQueue(address)
  return requireSessions().postgresSessions(address, { queue })
}
