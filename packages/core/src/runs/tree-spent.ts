import type { RunEnding } from '../contracts/run-entry.ts'
import type { StoredRun } from '../contracts/run-store.ts'
import type { Message } from '../data/message.ts'
import type { RunRecord } from '../data/run-record.ts'
import { unansweredCalls } from '../data/transcript.ts'
import { costOfSpent } from '../data/usage.ts'
import { addSpent, type Spent } from '../policies/account.ts'
import { withEndEvent } from '../sessions/end-event.ts'
import { memberRunId } from './driver/member-run.ts'
import { messagesOf, snapshotIn, spentOf } from './stored-member.ts'

type TreeSpent = Pick<RunEnding, 'usage' | 'cost'>

/** What of a stored run says what it has used. */
type SpentRun = Pick<StoredRun, 'record' | 'options' | 'progress' | 'isBackground'>

/** A stored run with its messages. */
export type RunOfTree = { stored: SpentRun; messages: readonly Message[] }

/** Where the runs of a tree are read: a store, or a transaction of one. */
export type TreeReader = {
  find(runId: string): Promise<{ messages: readonly Message[] } | undefined>
  runs?: { read(runId: string): Promise<StoredRun | undefined> } | undefined
}

/** What a stored run has used with its members' runs, also with those that it has not collected yet. */
export async function treeSpent(store: TreeReader, stored: SpentRun): Promise<TreeSpent> {
  return toTreeSpent(await spentWithMembers(store, stored))
}

/**
 * A run with what members' runs have used for which it waits: this is added to its own usage when they have ended.
 * Of a damaged tree its own usage counts.
 */
export async function withWaitingMembers<Run extends SpentRun>(store: TreeReader, stored: Run): Promise<Run> {
  if (!hasMembersThatWait(stored.record)) return stored
  const spent = await treeSpent(store, stored).catch(() => ({}))
  return { ...stored, record: { ...stored.record, ...spent } }
}

export function hasMembersThatWait({ status, approvals }: RunRecord): boolean {
  return status === 'waiting' && approvals.some(({ path }) => path !== undefined)
}

/** The ending of a run that is not in this process, with its last event, and with what its members have used. */
export async function endOfTree(
  store: TreeReader,
  stored: Parameters<typeof withEndEvent>[0] & SpentRun,
  ending: RunEnding,
): Promise<ReturnType<typeof withEndEvent>> {
  // Of a damaged tree its own usage counts.
  const spent = stored.isBackground ? await treeSpent(store, stored).catch(() => ({})) : {}
  return withEndEvent(stored, { ...ending, ...spent })
}

/** As {@link treeSpent}, for the accounts of the run that called it. */
export async function spentWithMembers(store: TreeReader, stored: SpentRun): Promise<Spent> {
  const withMessages = async (run: SpentRun): Promise<RunOfTree> => {
    const turn = mayHaveMembers(run) ? await store.find(run.record.runId) : undefined
    return { stored: run, messages: turn?.messages ?? [] }
  }
  const walk = walkTree(await withMessages(stored))
  let next = walk.next()
  while (!next.done) {
    const member = await store.runs?.read(next.value)
    next = walk.next(member && (await withMessages(member)))
  }
  return next.value
}

/** As {@link treeSpent}, in a transaction of a store that answers at once. */
export function treeSpentNow(run: RunOfTree, read: (runId: string) => RunOfTree | undefined): TreeSpent {
  const walk = walkTree(run)
  let next = walk.next()
  while (!next.done) next = walk.next(read(next.value))
  return toTreeSpent(next.value)
}

/** Yields the id of each member's run that is not collected, and is resumed with that run. */
function* walkTree({ stored, messages }: RunOfTree): Generator<string, Spent, RunOfTree | undefined> {
  const spent = structuredClone(spentOf(stored))
  for (const runId of uncollected(stored, messages)) {
    const member = yield runId
    if (member) addSpent(spent, yield* walkTree(member))
  }
  return spent
}

function mayHaveMembers(stored: SpentRun): boolean {
  return stored.isBackground === true && snapshotIn(stored) !== undefined
}

function uncollected(stored: SpentRun, messages: readonly Message[]): string[] {
  const snapshot = snapshotIn(stored)
  if (!mayHaveMembers(stored) || !snapshot) return []
  const { steps, collected = [] } = snapshot.progress
  const calls = unansweredCalls(messagesOf(stored, messages))
  const ids = calls.map(({ callId }) => memberRunId(stored.record.runId, steps, callId))
  return ids.filter((id) => !collected.includes(id))
}

function toTreeSpent(spent: Spent): TreeSpent {
  const cost = costOfSpent(spent)
  return { usage: spent.usage, ...(cost && { cost }) }
}
