import { AgentKitError, abortError } from '../../data/errors.ts'
import { limits } from '../../limits.ts'
import type { CurrentRun } from '../../runs/current-run.ts'
import type { RunEnd } from '../../runs/end-turn.ts'
import type { SuspendedMember } from '../../runs/snapshot.ts'
import { keyText } from '../../sessions/session-queue.ts'
import type { CalledMember } from './members.ts'
import type { AgentSpec, NewRun, OpenedRun, RunScope } from './types.ts'

/** Thrown by the tool of a member that waits for approval, or whose run is one of its own: its call has no result yet. */
export class MemberSuspended extends Error {
  override readonly name = 'MemberSuspended'
  readonly callId: string
  readonly member: { suspended: SuspendedMember } | { called: CalledMember }
  constructor(callId: string, member: MemberSuspended['member']) {
    super('A member has not answered yet.')
    this.callId = callId
    this.member = member
  }
}

/** Thrown once a run is left to the runs of its members: another process continues it. */
export class RunDelegated extends Error {
  override readonly name = 'RunDelegated'
  readonly reason: AgentKitError = new AgentKitError('aborted', 'The run waits for its members.')
}

/** Whether another process continues the run, which has no end here. */
export function isHandedBack(cause: unknown, { scope: { handover, signal }, state }: NewRun): boolean {
  if (!handover || state.approvals.length > 0) return false
  return (signal.aborted ? abortError(signal) : cause) === handover.reason
}

/** Whether another run has the session, or another process the run. */
export function isBusy({ error }: RunEnd): boolean {
  return error?.code === 'session-busy' || error?.code === 'session-conflict'
}

/** Whether a worker tries a background run again whose store has failed, which has no end here. */
export function isLeft({ error }: RunEnd, { stored, state }: OpenedRun): boolean {
  return error?.code === 'storage' && stored?.isBackground === true && state.approvals.length === 0
}

/** What the run's tools and hooks start belongs to this run. */
export function currentRunOf({ agent, scope, ledger }: NewRun): CurrentRun {
  const { parent, signal } = scope
  const depth = parent ? parent.depth + 1 : 0
  const holds = [...(parent?.holds ?? []), ...sessionHeldBy(agent, scope)]
  return { ledger, signal, depth, holds, ...(parent?.isInModelCall ? { isInModelCall: true } : {}) }
}

function sessionHeldBy({ id: agentId }: AgentSpec, { userId, sessionId, member }: RunScope): string[] {
  return sessionId === undefined || member ? [] : [keyText({ agentId, userId, sessionId })]
}

/** Ends a run when the run that started it ends. @returns removes the link */
export function endWith({ signal, outer = signal }: CurrentRun, end: RunScope['end']): () => void {
  const stop = (): void => end(abortError(signal.aborted ? signal : outer))
  if (signal.aborted || outer.aborted) stop()
  for (const each of [signal, outer]) each.addEventListener('abort', stop)
  return () => {
    for (const each of [signal, outer]) each.removeEventListener('abort', stop)
  }
}

/** @throws AgentKitError for agents that call each other without end, and for a run that would wait for itself */
export function checkNesting({ agent, scope }: NewRun): void {
  const { parent } = scope
  if (!parent) return
  if (parent.depth >= limits.nestedRuns) {
    const message = `The agent "${agent.id}" is asked within ${limits.nestedRuns} runs that ask each other. Break the circle.`
    throw new AgentKitError('max-steps', message)
  }
  if (sessionHeldBy(agent, scope).some((key) => parent.holds.includes(key))) {
    const message = 'The run that asks holds this session itself. Ask without `sessionId`, or in another session.'
    throw new AgentKitError('session-busy', message)
  }
}
