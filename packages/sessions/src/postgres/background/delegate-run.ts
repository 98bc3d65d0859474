import type { MemberRunEntry } from '@agentkit/core'
import { conflict } from '../../util/conflicts.ts'
import { toJSON } from '../../util/json.ts'
import type { Writing } from '../database/access.ts'
import { fromStored, toStored } from '../database/text-form.ts'
import { hasOpenMembers } from '../runs/run-rows.ts'
import { addQueued } from './add-queued.ts'

type Family = {
  number: number
  root: number | null
  agent_id: string
  user_id: string
  priority: number
  is_background: boolean
}

/**
 * Creates the new member runs of a run, and lets the run wait for all its members. The entry of the run is stored
 * already.
 */
export async function delegateRun(
  { query, now, touch }: Writing,
  runId: string,
  members: readonly MemberRunEntry[],
): Promise<void> {
  const id = toStored(runId)
  const [run] = await query<Family>(familyText, [id])
  if (!run?.is_background) throw conflict(`The run ${runId} is no background run: its members run within it.`)
  // From now on the run and its members have one stream of events.
  if (run.root === null) await query(beginTreeText, [run.number])
  const added = await addQueued(
    query,
    members.map(({ runId: memberId, key, options }) => ({
      ...{ key, runId: memberId, options: toJSON(options), parent: runId, root: run.root ?? run.number },
      ...{ agentId: fromStored(run.agent_id), priority: run.priority, notifies: false },
      ...{ title: null, dueAt: null, agentVersion: null, idempotency: undefined },
    })),
    now,
  )
  const known = members.map((member) => toStored(member.runId)).filter((memberId) => !added.has(fromStored(memberId)))
  const [other] = await query<{ run_id: string }>(
    'SELECT run_id FROM agentkit.runs WHERE run_id = ANY($1) AND parent IS DISTINCT FROM $2',
    [known, id],
  )
  if (other) throw conflict(`The run ${fromStored(other.run_id)} is no member's run of ${runId}.`)
  await query(awaitText, [run.number])
  for (const memberId of added) touch(memberId)
}

const familyText = `SELECT number, root, agent_id, user_id, priority, is_background FROM agentkit.runs WHERE run_id = $1`
const awaitText = `UPDATE agentkit.runs AS r SET holder = NULL, awaits_members = ${hasOpenMembers} WHERE number = $1`
const beginTreeText = `UPDATE agentkit.runs AS r SET in_tree = true,
    last_seq = greatest(last_seq, (SELECT max(seq) FROM agentkit.events WHERE run = r.number)),
    own_seq = greatest(own_seq, (SELECT max(seq) FROM agentkit.events WHERE run = r.number AND member IS NULL))
  WHERE number = $1 AND NOT in_tree`
