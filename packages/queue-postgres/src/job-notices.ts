import { coalesce } from './coalesce.ts'
import type { QueueDatabase } from './queue-database.ts'
import { schema } from './settings.ts'

/** Names agents that have new jobs to the workers of all processes, a short time after the jobs were added. */
export function jobNotifier(database: QueueDatabase): (agentIds: readonly string[]) => void {
  const waiting = new Set<string>()
  // The notification is not part of the statement that adds jobs, because commits that notify wait for each other.
  const notify = coalesce(() => {
    const payload = JSON.stringify([...waiting])
    waiting.clear()
    database.query('SELECT pg_notify($1, $2)', [schema, payload.length < 7_000 ? payload : '']).catch(() => {}) // workers poll
  }, 20)
  return (agentIds) => {
    for (const agentId of agentIds) waiting.add(agentId)
    notify()
  }
}

/** The agents that a notice names; `undefined`, which is all, also where another program or role has used the channel. */
export function agentIdsIn(payload = ''): string[] | undefined {
  try {
    const ids: unknown = JSON.parse(payload)
    return Array.isArray(ids) ? ids : undefined
  } catch {
    return undefined
  }
}
