import type { StoredRun } from '../contracts/run-store.ts'
import { visibleMessages } from '../data/transcript.ts'
import { memberEntry } from '../loop/members/delegates.ts'
import type { Delegates } from '../loop/run/members.ts'
import { MemberSuspended } from '../loop/run/parent-run.ts'
import type { AgentSpec, Run } from '../loop/run/types.ts'
import type { MemberOutcome } from '../runs/member-outcome.ts'
import { hasEnded, messagesOf, storedOutcome } from '../runs/stored-member.ts'
import { untilAborted } from '../util/async/abort.ts'
import type { Shown } from './member-history.ts'
import { storeMemberTurn } from './member-sessions.ts'

type ElsewhereCall = {
  member: AgentSpec
  callId: string
  /** What the member receives, where its run does not exist yet. */
  show(): Promise<Shown>
}

/**
 * The answer of a member whose run is one of its own.
 * @throws MemberSuspended where it has none yet: its run is to begin or to continue, or it waits for approval
 */
export async function askElsewhere(
  run: Run,
  delegates: Delegates,
  { member, callId, show }: ElsewhereCall,
): Promise<MemberOutcome> {
  const child = delegates.known.get(callId)
  if (!child) {
    const entry = memberEntry(run, delegates, { member, callId, ...(await show()) })
    throw new MemberSuspended(callId, { called: { entry } })
  }
  if (hasEnded(child)) {
    await storeTurn(run, delegates, child, { member, callId })
    return storedOutcome(child)
  }
  const { record, key, options = null } = child
  const decisions = run.members.decided.get(callId)
  if (decisions || record.status !== 'waiting') {
    throw new MemberSuspended(callId, { called: { entry: { runId: record.runId, key, options }, decisions } })
  }
  const approvals = record.approvals.map((approval) => ({ ...approval, path: [member.id, ...(approval.path ?? [])] }))
  throw new MemberSuspended(callId, { suspended: { approvals, runId: record.runId } })
}

/** Stores what the member did in its session, once: a process may have died after it. */
async function storeTurn(
  run: Run,
  { rootRunId }: Delegates,
  child: StoredRun,
  { member, callId }: Pick<ElsewhereCall, 'member' | 'callId'>,
): Promise<void> {
  const { scope, members } = run
  const { record, key } = child
  if (scope.sessionId === undefined) return
  const runId = `${rootRunId}/${callId}/${record.runId}`
  if (await untilAborted(scope.signal, members.store.find(runId))) return
  const turns = await untilAborted(scope.signal, members.store.turns(key))
  const own = turns.find((turn) => turn.runId === record.runId)
  const messages = own ? visibleMessages({ ...own, messages: messagesOf(child, own.messages) }) : []
  const status = record.status === 'failed' ? 'failed' : 'done'
  await storeMemberTurn(run, `${members.memberPath}/${member.id}`, {
    runId,
    messages,
    status,
    usage: record.usage ?? {},
  })
}
