import type { RunEnding } from '../contracts/run-entry.ts'
import type { StoredRun } from '../contracts/run-store.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import { unansweredCalls } from '../data/transcript.ts'
import { costOfSpent } from '../data/usage.ts'
import type { Spent } from '../policies/account.ts'
import { addSpent } from '../policies/account.ts'
import { memberRunId } from './driver/member-run.ts'
import { messagesOf, snapshotIn, spentOf } from './stored-member.ts'

/** What a stored run has used with its members' runs, also with those that it has not collected yet. */
export async function treeSpent(store: SessionStore, stored: StoredRun): Promise<Pick<RunEnding, 'usage' | 'cost'>> {
  const spent = await spentWithMembers(store, stored)
  const cost = costOfSpent(spent)
  return { usage: spent.usage, ...(cost && { cost }) }
}

/** As {@link treeSpent}, for the accounts of the run that called it. */
export async function spentWithMembers(store: SessionStore, stored: StoredRun): Promise<Spent> {
  const spent = structuredClone(spentOf(stored))
  for (const member of await uncollectedMembers(store, stored)) addSpent(spent, await spentWithMembers(store, member))
  return spent
}

async function uncollectedMembers(store: SessionStore, stored: StoredRun): Promise<StoredRun[]> {
  const snapshot = snapshotIn(stored)
  if (!stored.isBackground || !snapshot) return []
  const { runId } = stored.record
  const { steps, collected = [] } = snapshot.progress
  const turn = await store.find(runId)
  const calls = unansweredCalls(messagesOf(stored, turn?.messages ?? []))
  const ids = calls.map(({ callId }) => memberRunId(runId, steps, callId)).filter((id) => !collected.includes(id))
  const members = await Promise.all(ids.map((id) => store.runs?.read(id)))
  return members.filter((member) => member !== undefined)
}
