import { notRunning } from '../util/conflicts.ts'
import type { Access } from './access.ts'
import { toStored } from './text-form.ts'

const heldText = 'SELECT 1 FROM agentkit.runs WHERE run_id = $1 AND attempt = $2'

/**
 * A process may be frozen while an answer of the database is on its way, and another one may take over the run meanwhile. When
 * it continues, it would carry out what it has stored, such as a call of a tool. So where a write took longer than a heartbeat,
 * the attempt is compared again.
 *
 * @param since when the write began, by `performance.now()`
 * @throws AgentKitError `session-conflict`
 */
export async function guardFrozen(
  { database, holder }: Access,
  runId: string,
  { attempt, since }: { attempt: number; since: number },
): Promise<void> {
  if (performance.now() - since <= holder.heartbeatMs) return
  // Once this store counts as alive, no other one takes the run over.
  await holder.ensure()
  const rows = await database.query(heldText, [toStored(runId), attempt])
  if (rows.length > 0) return
  holder.letGo(runId, attempt)
  throw notRunning(runId)
}
