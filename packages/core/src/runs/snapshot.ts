import type { ToolCall } from '../contracts/model.ts'
import type { Compaction } from '../conversation/shown-messages.ts'
import type { Approval } from '../data/approval-data.ts'
import type { ModelFinishReason } from '../data/event.ts'
import type { JSONValue, Message } from '../data/message.ts'
import { toolCalls } from '../data/transcript.ts'
import type { Usage } from '../data/usage.ts'
import { limits } from '../limits.ts'
import type { Booked } from '../policies/ledger.ts'
import type { OpenTurn } from '../sessions/open-turn.ts'
import { settledWithin, untilAborted } from '../util/abort.ts'
import { approvalsOf } from './approvals.ts'
import type { Progress } from './run-state.ts'

/** What is stored of a run that waits for approval, beside its messages. Plain JSON. */
export type WaitingStep = {
  reason: ModelFinishReason
  usage: Usage
  /** No model was asked for this step: a plan made its calls. */
  planned?: true
  booked: Booked
  compaction: Compaction
  progress: Pick<Progress, 'steps' | 'sources' | 'warnings' | 'misfits' | 'summary' | 'books'>
  /** Members that wait, by the call that has called them. */
  members?: Record<string, ParkedMember>
  /** Of a conversation that is handed on: who has it, from the outside in. */
  active?: readonly string[]
  /** Steps that others had taken before. */
  stepsBefore?: number
  /** Whom this step hands it to. */
  handedTo?: string
}

/**
 * Stores a run as waiting: from here on it survives its process. One that is stopped meanwhile waits for that a little
 * longer, so that it is known what waits; a store that hangs does not keep it.
 * @param takeBack ends a run that was stored once nobody waited for that any more, and says whether it does
 */
export async function storeWaiting(
  turn: OpenTurn,
  waiting: WaitingStep,
  progress: Progress,
  approvals: Approval[],
  signal: AbortSignal,
  takeBack: () => boolean = () => false,
): Promise<void> {
  let isWaitedFor = true
  // Plain JSON, but for fields that may be absent.
  const stored = turn.park(waiting as unknown as JSONValue, waiting.booked.spent.usage, progress.messages).then(() => {
    if (isWaitedFor || !takeBack()) progress.approvals = approvals
  })
  try {
    await untilAborted(signal, stored)
  } catch (error) {
    // Half of it, as the end of the turn is waited for too.
    await settledWithin(limits.endFailedMs / 2, stored)
    isWaitedFor = false
    throw error
  }
}

/** What waits to be decided of these calls: they themselves, or what members ask that they have called. */
export function openApprovals(
  calls: readonly ToolCall[],
  steps: number,
  parked: ReadonlyMap<string, ParkedMember>,
): Approval[] {
  const own = calls.filter(({ callId }) => !parked.has(callId))
  return [...approvalsOf(own, steps), ...approvalsOfMembers(parked)]
}

export function approvalsOfMembers(parked: ReadonlyMap<string, ParkedMember>): Approval[] {
  return [...parked.values()].flatMap(({ approvals }) => approvals)
}

/** The members of a step that waits. */
export function parkedIn(waiting: WaitingStep | undefined): Map<string, ParkedMember> {
  return new Map(Object.entries(waiting?.members ?? {}))
}

/** The calls of a run's last step that have no result yet: those that wait. */
export function waitingCalls(messages: readonly Message[]): ToolCall[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  const message = messages[last]
  if (message?.role !== 'assistant') return []
  const results = messages.slice(last + 1)
  const isAnswered = (callId: string): boolean => {
    return results.some((result) => result.role === 'tool' && result.callId === callId)
  }
  return toolCalls(message)
    .filter(({ callId }) => !isAnswered(callId))
    .map(({ callId, name, input }) => ({ type: 'tool-call', callId, name, input }))
}

/** A member's run that waits for approval, as it is stored with the run that has called it. Plain JSON. */
export type ParkedMember = {
  /** As the calling run shows them: their ids and paths begin with its call and its member. */
  approvals: Approval[]
  history: readonly Message[]
  messages: readonly Message[]
  waiting: WaitingStep
}
