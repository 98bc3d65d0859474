import type { MemberRunEntry } from '@agentkit/core'
import { conflict } from '../../util/conflicts.ts'
import { toJSON } from '../../util/json.ts'
import type { Writing } from '../database/store-access.ts'
import { addSession, findSession } from '../runs/rows.ts'
import { type PreparedEntry, requireHeld, writeEntry } from '../runs/write-entry.ts'
import { addQueued } from './enqueue-runs.ts'

/** Creates the new member runs of a run, and lets the run wait for all its members. */
export function delegateRun(
  { statements, touch, now }: Pick<Writing, 'statements' | 'touch' | 'now'>,
  runId: string,
  { attempt, entry, members }: { attempt: number; entry: PreparedEntry; members: readonly MemberRunEntry[] },
): void {
  const run = requireHeld(statements, runId, attempt)
  if (!run.is_background) throw conflict(`The run ${runId} is no background run: its members run within it.`)
  writeEntry(statements, touch, run, entry)
  // The row has the columns that the statement selects.
  const family = statements.familyOfRun.get(run.number) as {
    root: string | null
    agent_id: string
    user_id: string
    priority: number
  }
  for (const member of members) {
    const known = statements.numberOfRun.get(member.runId)?.number as number | undefined
    if (known === undefined) {
      const session = findSession(statements, member.key)?.id ?? addSession(statements, member.key, now, null)
      addQueued(statements, {
        ...{ runId: member.runId, session, options: toJSON(member.options), now, readyAt: now },
        ...{ agentId: family.agent_id, userId: family.user_id, priority: family.priority },
        ...{ parent: runId, root: family.root ?? runId },
      })
      touch(member.runId)
    } else if (statements.familyOfRun.get(known)?.parent !== runId) {
      throw conflict(`The run ${member.runId} is no member's run of ${runId}.`)
    }
  }
  statements.awaitMembers.run(run.number)
  touch(runId)
}
