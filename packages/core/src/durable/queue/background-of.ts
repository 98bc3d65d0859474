import type { BackgroundRuns } from '../../contracts/background-runs.ts'
import type { RunStore } from '../../contracts/run-store.ts'
import type { SessionStore } from '../../contracts/session-store.ts'
import { AgentKitError, invalidConfig } from '../../data/errors.ts'

/** A store that keeps runs which workers begin. */
export type BackgroundStore = RunStore & { readonly background: BackgroundRuns }

/**
 * The background runs of a store.
 * @throws AgentKitError `unsupported` for a store without `runs`, `invalid-config` for one whose runs end with the process
 */
export function backgroundOf({ runs }: SessionStore): BackgroundStore {
  if (!runs) throw new AgentKitError('unsupported', needed)
  if (!runs.background) throw invalidConfig(`${needed} ${queue}`)
  // Checked above.
  return runs as BackgroundStore
}

const needed = 'Background runs need sessions on disk or Postgres. Pass them, such as `sessions: "sessions.db"`.'
const queue = 'postgresSessions() needs its option `queue`, such as `postgresQueue(url)` of @agentkit/queue-postgres.'
