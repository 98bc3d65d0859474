import type { StoredRun } from '../contracts/run-store.ts'
import { isEnded } from '../data/run-record.ts'
import type { Turn } from '../data/session-data.ts'
import { visibleMessages } from '../data/transcript.ts'
import { memberEntry } from '../loop/members/delegates.ts'
import type { Delegates } from '../loop/run/members.ts'
import { MemberSuspended } from '../loop/run/parent-run.ts'
import type { AgentSpec, Run } from '../loop/run/types.ts'
import type { MemberOutcome } from '../runs/member-outcome.ts'
import { messagesOf, storedOutcome } from '../runs/stored-member.ts'
import { untilAborted } from '../util/async/abort.ts'
import type { Shown } from './member-history.ts'
import { memberSessionKey, storeMemberTurn } from './member-sessions.ts'

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
  if (isEnded(child.record.status)) {
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
  const memberPath = `${members.memberPath}/${member.id}`
  const place = await placeOf(run, memberPath, `${rootRunId}/${callId}/${record.runId}`)
  if (!place) return
  const turns = await untilAborted(scope.signal, members.store.turns(key))
  const own = turns.find((turn) => turn.runId === record.runId)
  const messages = own ? visibleMessages({ ...own, messages: messagesOf(child, own.messages) }) : []
  const status = record.status === 'failed' ? 'failed' : 'done'
  await storeMemberTurn(run, memberPath, { ...place, messages, status, usage: record.usage ?? {} })
}

/**
 * The id of a member's turn, and the turn that it replaces: a process may have died before it had stored the end of that
 * one.
 * @returns `undefined` where the turn is stored
 */
async function placeOf(
  { scope, members }: Run,
  memberPath: string,
  id: string,
): Promise<{ runId: string; replaces?: string } | undefined> {
  const { userId, sessionId = '', signal } = scope
  let cut: Turn | undefined
  for (let copy = 1; ; copy++) {
    const runId = copy === 1 ? id : `${id}/${copy}`
    const turn = await untilAborted(signal, members.store.find(runId))
    // The end of a turn stores its usage.
    if (turn?.usage) return undefined
    if (turn) {
      cut = turn
      continue
    }
    if (!cut) return { runId }
    const turns = await untilAborted(signal, members.store.turns(memberSessionKey(memberPath, userId, sessionId)))
    // Replacing a turn hides those after it.
    if (turns.at(-1)?.runId === cut.runId) return { runId, replaces: cut.runId }
    // Its calls are shown already, without its answer.
    return visibleMessages({ ...cut, status: 'failed' }).length > 0 ? undefined : { runId }
  }
}
